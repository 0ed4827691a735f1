#include "app/run_record.h"
#include "arrays.h"
#include "bindings.h"
#include "output/metrics.h"
#include "output/run_folder.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace hydrolith::python {

namespace {

/// A folder of a run and the frames that were found in it.
struct RunView {
  RunReader reader;
  std::shared_ptr<Objects> objects;
  std::vector<std::int64_t> frames;

  py::ssize_t size() const { return static_cast<py::ssize_t>(frames.size()); }
};

}  // namespace

}  // namespace hydrolith::python

template <>
class pybind11::detail::type_caster<hydrolith::python::RunView>
    : public hydrolith::python::BuiltCaster<hydrolith::python::RunView> {};

namespace hydrolith::python {

namespace {

std::unique_ptr<RunView> open(const std::filesystem::path& folder) {
  const py::gil_scoped_release release;
  RunReader reader(folder);
  auto objects = std::make_shared<Objects>(reader.objects());
  auto frames = reader.frames();
  return std::make_unique<RunView>(
      RunView{std::move(reader), std::move(objects), std::move(frames)});
}

std::shared_ptr<Frame> frame(const RunView& run, py::ssize_t i) {
  if (i < -run.size() || i >= run.size())
    throw py::index_error("the run has " + std::to_string(run.size()) + " frames");
  const std::int64_t index = run.frames[static_cast<std::size_t>(i < 0 ? i + run.size() : i)];
  const py::gil_scoped_release release;
  return std::make_shared<Frame>(run.reader.read(index));
}

std::size_t update(RunView& run) {
  std::vector<std::int64_t> frames;
  {
    const py::gil_scoped_release release;
    frames = run.reader.frames();
  }
  run.frames = std::move(frames);
  return run.frames.size();
}

py::dict metrics(const RunView& run) {
  MetricsTable table;
  {
    const py::gil_scoped_release release;
    table = read_metrics(run.reader.folder() / "metrics.csv");
  }
  py::dict all;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<double> column;
    for (const auto& row : table.rows) column.push_back(row[c]);
    all[py::str(table.columns[c])] = to_numpy(std::move(column));
  }
  return all;
}

py::dict record(const RunView& run) {
  const RunRecord r = read_run_record(run.reader.folder());
  using namespace py::literals;
  return py::dict("scene"_a = r.scene, "scene_file"_a = r.scene_file, "version"_a = r.version,
                  "instruction_set"_a = r.instruction_set, "state"_a = r.state,
                  "message"_a = r.message, "colour_by"_a = r.colour_by, "duration"_a = r.duration,
                  "time"_a = r.time, "steps"_a = r.steps, "frames"_a = r.frames, "wall"_a = r.wall,
                  "threads"_a = r.threads);
}

}  // namespace

void bind_run_reader(py::module_& m) {
  py::class_<RunView>(m, "Run",
                      "The folder of a finished or running run: len(run) frames, run[i] reads one. "
                      "Raises IoError with the file's name.")
      .def(py::init(&open), py::arg("folder"))
      .def("__len__", &RunView::size)
      .def("__getitem__", &frame, py::arg("index"), "Reads a frame; negative: from the end.")
      .def(
          "__iter__",
          [](const py::object& self) {
            return py::reinterpret_steal<py::object>(PySeqIter_New(self.ptr()));
          },
          "All frames, one after the other.")
      .def("update", &update, "Looks for new frames of a running run; how many there are now.")
      .def_property_readonly(
          "folder", [](const RunView& run) { return run.reader.folder(); }, "Its path.")
      .def_readonly("objects", &RunView::objects, "What never changes.")
      .def_property_readonly("metrics", &metrics,
                             "metrics.csv as a dict of arrays; NaN where a cell is empty.")
      .def_property_readonly("record", &record, "run.json: versions, state, how far it came.")
      .def("__repr__", [](const RunView& run) {
        return "<Run " + run.reader.folder().string() + ", " + std::to_string(run.size()) +
               " frames>";
      });
}

}  // namespace hydrolith::python
