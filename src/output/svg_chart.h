#pragma once
// Charts as SVG to be put into a page. Colours come from the page: series k has the class
// "s<k % 8>", every eight series another dash; axes and text use currentColor.

#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

struct ChartSeries {
  std::string name;
  std::vector<double> x, y;  // of one length; what is not finite interrupts the line
};

/// At most `most` points: of every stretch its lowest and highest, so that peaks stay.
ChartSeries thinned(const ChartSeries& series, std::size_t most);

std::string line_chart(const std::string& x_label, const std::vector<ChartSeries>& series);

struct ChartBar {
  std::string name, text;  // above it, beside it
  double value = 0;        // none is drawn unless it is above zero
};
/// Lying bars from zero, or on a logarithmic scale from the power of ten below the smallest.
std::string bar_chart(const std::vector<ChartBar>& bars, bool logarithmic);

/// Text for XML and HTML, attributes included; control characters become blanks.
std::string xml_escape(std::string_view text);

}  // namespace hydrolith
