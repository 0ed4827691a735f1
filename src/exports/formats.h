#pragma once
// One maker for each format; run_exporter.cpp has the table.

#include "exports/run_exporter.h"

namespace hydrolith {

std::unique_ptr<RunExporter> make_vtk_run_exporter(const Objects&, const ExportSettings&);
std::unique_ptr<RunExporter> make_ply_run_exporter(const Objects&, const ExportSettings&);
std::unique_ptr<RunExporter> make_obj_exporter(const Objects&, const ExportSettings&);
std::unique_ptr<RunExporter> make_usd_exporter(const Objects&, const ExportSettings&);
std::unique_ptr<RunExporter> make_gltf_exporter(const Objects&, const ExportSettings&);
std::unique_ptr<RunExporter> make_vdb_exporter(const Objects&, const ExportSettings&);
std::unique_ptr<RunExporter> make_bgeo_exporter(const Objects&, const ExportSettings&);
std::unique_ptr<RunExporter> make_csv_exporter(const Objects&, const ExportSettings&);

}  // namespace hydrolith
