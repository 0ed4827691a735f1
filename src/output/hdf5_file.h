#pragma once
// HDF5 made small: files that live in memory, groups, attributes and tables of numbers. The disk is
// written by files.h alone, so a full disk or a torn file never meets HDF5 half way.
//
// Three nets against damage: the 1.10 layout has checksums on all structure, with small tables
// inside it; large tables carry one (fletcher32) in every chunk; and a CRC-32 of the whole file
// stands behind its end, where HDF5 does not look. Only fixed-length text is used, since the heap
// of variable-length text has no checksum.

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith::h5 {

/// Any HDF5 identifier, closed at the end of its life.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// How a C++ number is held in memory and in the file (always little-endian).
template <class T>
hid_t memory_type();
template <class T>
hid_t file_type();

/// What stands beside every table: its unit ("" for none) and one sentence.
struct Note {
  std::string_view unit, meaning;
};

/// A folder inside an HDF5 file, written or read. Errors are IoError with the file's name.
class Group {
 public:
  // Writing.
  Group create_group(const std::string& name) const;
  void write_attribute(const std::string& name, std::string_view text) const;
  void write_attribute(const std::string& name, std::int64_t value) const;
  template <class T>
  void write_scalar(const std::string& name, const T& value, const Note& note) const {
    write_table(name, &value, {}, memory_type<T>(), file_type<T>(), note);
  }
  /// rows x columns numbers, row after row; columns = 1 makes a plain list.
  template <class T>
  void write(const std::string& name, std::span<const T> values, int columns,
             const Note& note) const {
    write_table(name, values.data(), shape(values.size(), columns), memory_type<T>(),
                file_type<T>(), note);
  }
  void write_text(const std::string& name, std::span<const std::string> texts,
                  const Note& note) const;

  // Reading.
  bool has(const std::string& name) const;
  Group group(const std::string& name) const;
  std::vector<std::string> children() const;  // in the order they were created
  std::string text_attribute(const std::string& name, const std::string& of = ".") const;
  std::int64_t integer_attribute(const std::string& name) const;
  template <class T>
  T read_scalar(const std::string& name) const {
    const Handle table = open(name);
    check_type(table, file_type<T>(), name);
    if (!extents(table, name).empty()) fail(name + " is not a single number");
    T value{};
    read_values(table, name, memory_type<T>(), &value);
    return value;
  }
  /// All rows, one after the other. Fails unless the table has this number of columns.
  template <class T>
  std::vector<T> read(const std::string& name, int columns) const {
    const Handle table = open(name);
    check_type(table, file_type<T>(), name);
    const std::vector<hsize_t> found = extents(table, name);
    if (found.empty() || found != shape(found[0] * columns, columns))
      fail(name + " has the wrong shape");
    std::vector<T> values(plausible_count(found, sizeof(T), name));
    if (!values.empty()) read_values(table, name, memory_type<T>(), values.data());
    return values;
  }
  /// Columns of a table: 1 for a list.
  int columns(const std::string& name) const;
  std::size_t rows(const std::string& name) const;
  std::vector<std::string> read_text(const std::string& name) const;

  /// Throws IoError: "FILE: MESSAGE".
  [[noreturn]] void fail(std::string_view message) const;

 private:
  friend class File;
  struct Context {
    std::string name;      // of the file, for messages
    std::size_t size = 0;  // bytes, when reading
    int compression = 0;   // 0..9, when writing
  };
  Group(Handle handle, const Context* context) : handle_(std::move(handle)), context_(context) {}

  static std::vector<hsize_t> shape(std::size_t size, int columns);
  hid_t check(hid_t id, std::string_view doing) const;  // fails with HDF5's reason if id < 0
  void write_table(const std::string& name, const void* values, const std::vector<hsize_t>& shape,
                   hid_t memory, hid_t file, const Note& note) const;
  void write_chunks(hid_t table, const void* values, const std::vector<hsize_t>& shape,
                    std::size_t element, const std::string& name) const;
  Handle table_properties(const std::vector<hsize_t>& shape, std::size_t element) const;
  void write_text_attribute(hid_t object, const std::string& name, std::string_view text) const;
  Handle open(const std::string& name) const;
  std::vector<hsize_t> extents(hid_t table, const std::string& name) const;
  std::size_t plausible_count(const std::vector<hsize_t>& shape, std::size_t element,
                              const std::string& name) const;
  void check_type(hid_t table, hid_t expected, const std::string& name) const;
  void read_values(hid_t table, const std::string& name, hid_t memory, void* values) const;

  Handle handle_;
  const Context* context_;
};

/// Whether bytes of a file end with our checksum and it is right: then it is as it was written.
bool has_right_checksum(std::string_view bytes);

/// An HDF5 file in memory. While one lives, no other thread uses HDF5 through this module.
class File {
 public:
  /// An empty file to write to; compression from 0 (none) to 9 (smallest). `name` is for messages.
  File(std::string name, int compression);
  /// The content of a file that was read.
  File(std::string name, std::string_view bytes);
  /// A file on disk, of which only what is asked for is read. The checksum behind its end is not
  /// looked at; those of HDF5 are.
  static File on_disk(const std::filesystem::path& file);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  const Group& root() const { return root_; }
  /// Closes the file and returns its bytes; the same input gives the same bytes.
  std::string finish();

 private:
  explicit File(Group::Context context);
  File(const std::filesystem::path& file, std::size_t size);
  void open_root(hid_t file, std::string_view doing);
  void close();

  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t saved_report_ = nullptr;  // how HDF5 reported errors before; given back at the end
  void* saved_report_data_ = nullptr;
  Group::Context context_;
  std::string image_;  // filled when a written file is closed
  Handle file_;
  Group root_;
};

}  // namespace hydrolith::h5
