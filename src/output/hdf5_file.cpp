#include "output/hdf5_file.h"

#include "hydrolith/error.h"

#include "output/deflate.h"
#include "output/hdf5_chunk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace hydrolith::h5 {

namespace {

constexpr hsize_t chunk_rows = 1 << 15;        // rows of one column in a compressed chunk
constexpr std::size_t small_table = 8 * 1024;  // [bytes] up to here a table sits in its header
constexpr std::size_t best_deflate = 1100;     // zlib never does better than 1032 : 1

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// The innermost reason on HDF5's error stack.
std::string reason() {
  std::string text;
  const auto keep_first = [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
    if (depth == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "the file is damaged" : text;
}

/// Fixed-length UTF-8, padded with zeros.
Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(length, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::size_t count(const std::vector<hsize_t>& shape) {
  std::size_t n = 1;
  for (const hsize_t extent : shape) n *= extent;
  return n;
}

std::string without_padding(const char* text, std::size_t length) {
  return {text, std::find(text, text + length, '\0')};
}

}  // namespace

// ---- identifiers and types ---------------------------------------------------------------------

Handle::Handle(Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), close_(std::exchange(other.close_, nullptr)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

Handle::~Handle() {
  if (id_ >= 0 && close_) close_(id_);
}

template <>
hid_t memory_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t memory_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t memory_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}
template <>
hid_t memory_type<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}
template <>
hid_t memory_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
hid_t memory_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t file_type<float>() {
  return H5T_IEEE_F32LE;
}
template <>
hid_t file_type<double>() {
  return H5T_IEEE_F64LE;
}
template <>
hid_t file_type<std::uint8_t>() {
  return H5T_STD_U8LE;
}
template <>
hid_t file_type<std::uint32_t>() {
  return H5T_STD_U32LE;
}
template <>
hid_t file_type<std::uint64_t>() {
  return H5T_STD_U64LE;
}
template <>
hid_t file_type<std::int64_t>() {
  return H5T_STD_I64LE;
}

// ---- groups, writing ---------------------------------------------------------------------------

void Group::fail(std::string_view message) const {
  throw IoError(fmt::format("{}: {}", context_->name, message));
}

hid_t Group::check(hid_t id, std::string_view doing) const {
  if (id < 0) fail(fmt::format("cannot {} (HDF5: {})", doing, reason()));
  return id;
}

std::vector<hsize_t> Group::shape(std::size_t size, int columns) {
  if (columns == 1) return {size};
  return {size / static_cast<std::size_t>(columns), static_cast<hsize_t>(columns)};
}

Group Group::create_group(const std::string& name) const {
  const Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties, false);
  H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const hid_t id = H5Gcreate2(handle_, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT);
  return {Handle(check(id, "create group " + name), H5Gclose), context_};
}

void Group::write_attribute(const std::string& name, std::string_view text) const {
  write_text_attribute(handle_, name, text);
}

void Group::write_attribute(const std::string& name, std::int64_t value) const {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(handle_, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, H5T_NATIVE_INT64, &value), "write attribute " + name);
}

void Group::write_text_attribute(hid_t object, const std::string& name,
                                 std::string_view text) const {
  const Handle type = text_type(text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const std::string padded = text.empty() ? std::string(1, '\0') : std::string(text);
  check(H5Awrite(attribute, type, padded.data()), "write attribute " + name);
}

/// Small tables live in their header; large ones in chunks of one column each (neighbouring values
/// of one quantity compress better than x, y, z in turn), bytes shuffled, deflated, checksummed.
Handle Group::table_properties(const std::vector<hsize_t>& shape, std::size_t element) const {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(properties, false);
  if (count(shape) * element <= small_table) {
    H5Pset_layout(properties, H5D_COMPACT);
    return properties;
  }
  std::vector<hsize_t> chunk(shape.size(), 1);
  chunk[0] = std::min(shape[0], chunk_rows);
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  if (context_->compression > 0) {
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, static_cast<unsigned>(std::min(context_->compression, 9)));
  }
  H5Pset_fletcher32(properties);
  return properties;
}

void Group::write_table(const std::string& name, const void* values,
                        const std::vector<hsize_t>& shape, hid_t memory, hid_t file,
                        const Note& note) const {
  const Handle space(shape.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose);
  const Handle properties = table_properties(shape, H5Tget_size(file));
  const Handle table(
      check(H5Dcreate2(handle_, name.c_str(), file, space, H5P_DEFAULT, properties, H5P_DEFAULT),
            "create " + name),
      H5Dclose);
  write_text_attribute(table, "unit", note.unit);
  write_text_attribute(table, "meaning", note.meaning);
  if (count(shape) == 0) return;
  if (context_->compression > 0 && count(shape) * H5Tget_size(file) > small_table)
    write_chunks(table, values, shape, H5Tget_size(file), name);
  else
    check(H5Dwrite(table, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write " + name);
}

/// Chunk after chunk, already packed. Numbers stand in the file as they do in memory.
void Group::write_chunks(hid_t table, const void* values, const std::vector<hsize_t>& shape,
                         std::size_t element, const std::string& name) const {
  static_assert(std::endian::native == std::endian::little);
  const auto* from = static_cast<const char*>(values);
  const hsize_t columns = shape.size() > 1 ? shape[1] : 1, rows = std::min(shape[0], chunk_rows);
  std::string chunk(rows * element, '\0');
  for (hsize_t first = 0; first < shape[0]; first += rows)
    for (hsize_t column = 0; column < columns; ++column) {
      const hsize_t end = std::min(first + rows, shape[0]);
      for (hsize_t r = first; r < end; ++r)
        std::memcpy(&chunk[(r - first) * element], from + (r * columns + column) * element,
                    element);
      std::fill(chunk.begin() + static_cast<std::ptrdiff_t>((end - first) * element), chunk.end(),
                '\0');
      const std::string packed = packed_chunk(chunk, element, context_->compression);
      const hsize_t offset[] = {first, column};
      check(H5Dwrite_chunk(table, H5P_DEFAULT, 0, offset, packed.size(), packed.data()),
            "write " + name);
    }
}

void Group::write_text(const std::string& name, std::span<const std::string> texts,
                       const Note& note) const {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string padded(longest * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), padded.begin() + i * longest);
  const Handle type = text_type(longest);
  write_table(name, padded.data(), {texts.size()}, type, type, note);
}

// ---- groups, reading ---------------------------------------------------------------------------

bool Group::has(const std::string& name) const {
  return check(H5Lexists(handle_, name.c_str(), H5P_DEFAULT), "look for " + name) > 0;
}

Group Group::group(const std::string& name) const {
  const hid_t id = H5Gopen2(handle_, name.c_str(), H5P_DEFAULT);
  return {Handle(check(id, "open group " + name), H5Gclose), context_};
}

std::vector<std::string> Group::children() const {
  H5G_info_t info{};
  check(H5Gget_info(handle_, &info), "list a group");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[1024];
    const ssize_t length = H5Lget_name_by_idx(handle_, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i,
                                              name, sizeof name, H5P_DEFAULT);
    check(length < static_cast<ssize_t>(sizeof name) ? length : -1, "list a group");
    names.emplace_back(name, static_cast<std::size_t>(length));
  }
  return names;
}

std::string Group::text_attribute(const std::string& name, const std::string& of) const {
  const std::string doing = "read attribute " + name + " of " + (of == "." ? "the group" : of);
  const Handle attribute(
      check(H5Aopen_by_name(handle_, of.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), doing),
      H5Aclose);
  const Handle type(check(H5Aget_type(attribute), doing), H5Tclose);
  const Handle space(check(H5Aget_space(attribute), doing), H5Sclose);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
      H5Sget_simple_extent_npoints(space) != 1)
    fail(fmt::format("attribute {} is not one fixed-length text", name));
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()), doing);
  return without_padding(text.data(), text.size());
}

std::int64_t Group::integer_attribute(const std::string& name) const {
  const std::string doing = "read attribute " + name;
  const Handle attribute(check(H5Aopen(handle_, name.c_str(), H5P_DEFAULT), doing), H5Aclose);
  const Handle type(check(H5Aget_type(attribute), doing), H5Tclose);
  const Handle space(check(H5Aget_space(attribute), doing), H5Sclose);
  if (H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1)
    fail(fmt::format("attribute {} is not one whole number", name));
  std::int64_t value = 0;
  check(H5Aread(attribute, H5T_NATIVE_INT64, &value), doing);
  return value;
}

Handle Group::open(const std::string& name) const {
  return {check(H5Dopen2(handle_, name.c_str(), H5P_DEFAULT), "open " + name), H5Dclose};
}

std::vector<hsize_t> Group::extents(hid_t table, const std::string& name) const {
  const Handle space(check(H5Dget_space(table), "open " + name), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > 2) fail(fmt::format("{} is not a number, a list or a table", name));
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

/// A damaged or hostile file must not make us ask for more memory than it could ever fill.
std::size_t Group::plausible_count(const std::vector<hsize_t>& shape, std::size_t element,
                                   const std::string& name) const {
  const std::size_t limit = context_->size * best_deflate / element;
  std::size_t n = 1;
  for (const hsize_t extent : shape) {
    if (extent != 0 && n > limit / extent)
      fail(fmt::format("{} claims more values than the file can hold", name));
    n *= extent;
  }
  return n;
}

void Group::check_type(hid_t table, hid_t expected, const std::string& name) const {
  const Handle type(check(H5Dget_type(table), "open " + name), H5Tclose);
  if (H5Tequal(type, expected) <= 0) fail(fmt::format("{} has the wrong type of number", name));
}

void Group::read_values(hid_t table, const std::string& name, hid_t memory, void* values) const {
  check(H5Dread(table, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "read " + name);
}

int Group::columns(const std::string& name) const {
  const std::vector<hsize_t> shape = extents(open(name), name);
  return shape.size() < 2 ? 1 : static_cast<int>(std::min<hsize_t>(shape[1], 1 << 20));
}

std::size_t Group::rows(const std::string& name) const {
  const std::vector<hsize_t> shape = extents(open(name), name);
  return shape.empty() ? 1 : shape[0];
}

std::vector<std::string> Group::read_text(const std::string& name) const {
  const Handle table = open(name);
  const Handle type(check(H5Dget_type(table), "open " + name), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
    fail(fmt::format("{} is not fixed-length text", name));
  const std::vector<hsize_t> shape = extents(table, name);
  if (shape.size() != 1) fail(fmt::format("{} is not a list", name));
  const std::size_t length = H5Tget_size(type);
  const std::size_t n = plausible_count(shape, length, name);
  std::string padded(n * length, '\0');
  if (n > 0) read_values(table, name, type, padded.data());
  std::vector<std::string> texts(n);
  for (std::size_t i = 0; i < n; ++i) texts[i] = without_padding(&padded[i * length], length);
  return texts;
}

// ---- files -------------------------------------------------------------------------------------

namespace {

// ---- the checksum behind the end: HDF5 never meets a file of ours that was damaged on the way
// ----

constexpr std::string_view crc_mark = "HYDROLITH-CRC32=";  // then 8 hexadecimal digits
constexpr std::size_t crc_bytes = crc_mark.size() + 8;

std::string crc_line(std::string_view bytes) {
  return fmt::format("{}{:08x}", crc_mark, crc32_of(bytes));
}

/// False only for a file with a checksum that is wrong. Files by other hands have none.
bool crc_is_right(std::string_view bytes) {
  if (bytes.size() < crc_bytes) return true;
  const std::string_view line = bytes.substr(bytes.size() - crc_bytes);
  return !line.starts_with(crc_mark) || line == crc_line(bytes.substr(0, bytes.size() - crc_bytes));
}

// ---- files in memory ---------------------------------------------------------------------------

/// HDF5 wants a name even for a file in memory, and that no such file exists: here none ever can.
constexpr const char* no_file = "/dev/null/memory.h5";

/// Kept in memory only, in the layout whose structure carries checksums.
Handle access_properties() {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(properties, 1 << 20, false);
  H5Pset_fclose_degree(properties, H5F_CLOSE_STRONG);  // with all groups still open in it
  H5Pset_libver_bounds(properties, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return properties;
}

/// The bytes in use: a superblock of version 3 names its end of file at byte 28.
void take_image(const void* bytes, std::string& image) {
  std::uint64_t size = 0;
  for (int i = 7; i >= 0; --i) size = size << 8 | static_cast<const std::uint8_t*>(bytes)[28 + i];
  image.assign(static_cast<const char*>(bytes), size);
}

/// Takes the bytes over when HDF5 closes a file in memory. (H5Fget_file_image would do, but in this
/// layout it clears a flag under the superblock's checksum and so spoils the copy.)
void catch_image(hid_t properties, std::string* image) {
  H5FD_file_image_callbacks_t callbacks{};
  callbacks.image_malloc = [](size_t size, H5FD_file_image_op_t, void*) { return malloc(size); };
  callbacks.image_realloc = [](void* bytes, size_t size, H5FD_file_image_op_t, void*) {
    return realloc(bytes, size);
  };
  callbacks.image_free = [](void* bytes, H5FD_file_image_op_t when, void* out) -> herr_t {
    if (when == H5FD_FILE_IMAGE_OP_FILE_CLOSE) take_image(bytes, *static_cast<std::string*>(out));
    free(bytes);
    return 0;
  };
  callbacks.udata_copy = [](void* out) { return out; };
  callbacks.udata_free = [](void*) -> herr_t { return 0; };
  callbacks.udata = image;
  H5Pset_file_image_callbacks(properties, &callbacks);
}

}  // namespace

bool has_right_checksum(std::string_view bytes) {
  return bytes.size() >= crc_bytes &&
         bytes.substr(bytes.size() - crc_bytes).starts_with(crc_mark) && crc_is_right(bytes);
}

File::File(Group::Context context)
    : lock_(library_mutex()), context_(std::move(context)), root_({}, &context_) {
  H5Eget_auto2(H5E_DEFAULT, &saved_report_, &saved_report_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

File::File(std::string name, int compression)
    : File(Group::Context{.name = std::move(name), .size = 0, .compression = compression}) {
  const Handle access = access_properties();
  catch_image(access, &image_);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_obj_track_times(creation, false);
  open_root(H5Fcreate(no_file, H5F_ACC_TRUNC, creation, access), "create the file");
}

File::File(std::string name, std::string_view bytes)
    : File(Group::Context{.name = std::move(name), .size = bytes.size(), .compression = 0}) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  if (bytes.empty()) root_.fail("the file is empty");
  if (!bytes.starts_with(signature)) root_.fail("not an HDF5 file");
  if (!crc_is_right(bytes)) root_.fail("the file is damaged: its checksum is wrong");
  const Handle access = access_properties();
  H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size());
  open_root(H5Fopen(no_file, H5F_ACC_RDONLY, access), "open the file: it is cut short or damaged");
}

File::File(const std::filesystem::path& file, std::size_t size)
    : File(Group::Context{.name = file.string(), .size = size, .compression = 0}) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_file_locking(access, false, true);  // whole files never change; some disks cannot lock
  open_root(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access), "open the file");
}

File File::on_disk(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) throw IoError(fmt::format("{}: cannot read: {}.", file.string(), error.message()));
  return File(file, static_cast<std::size_t>(size));
}

void File::open_root(hid_t file, std::string_view doing) {
  file_ = Handle(root_.check(file, doing), H5Fclose);
  const hid_t root = root_.check(H5Gopen2(file_, "/", H5P_DEFAULT), "open the root group");
  root_ = Group(Handle(root, H5Gclose), &context_);
}

void File::close() {
  root_ = Group({}, &context_);
  file_ = Handle();
}

File::~File() {
  close();
  H5Eclear2(H5E_DEFAULT);  // what a thread leaves here would trouble HDF5 at the end of the program
  H5Eset_auto2(H5E_DEFAULT, saved_report_, saved_report_data_);
}

std::string File::finish() {
  root_.check(H5Fflush(file_, H5F_SCOPE_GLOBAL), "finish the file");
  close();
  if (image_.empty()) root_.fail("cannot finish the file: out of memory");
  image_ += crc_line(image_);
  return std::move(image_);
}

}  // namespace hydrolith::h5
