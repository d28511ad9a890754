//! Plots of results.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::results::{Comparison, Growth, Target};

const FONT: &str = "sans-serif";
const MET: RGBColor = RGBColor(0x1b, 0x7f, 0x5c);
const MISSED: RGBColor = RGBColor(0xc0, 0x3a, 0x2b);

/// Plots each ratio as a bar, with its spread, and its target as a mark.
pub(crate) fn ratios<'a>(file: &Path, results: impl Iterator<Item = &'a Comparison>) -> Result<()> {
    let results: Vec<_> = results.collect();
    if results.is_empty() {
        return Ok(());
    }
    let height = 80 + 26 * u32::try_from(results.len())?;
    let area = SVGBackend::new(file, (900, height)).into_drawing_area();
    area.fill(&WHITE).map_err(failed)?;
    let most = results
        .iter()
        .flat_map(|result| match result.target {
            Target::AtLeast(target) | Target::AtMost(target) => [result.rounds.spread().1, target],
            _ => [result.rounds.spread().1, 0.0],
        })
        .map(|ratio| ratio.min(3.0))
        .fold(1.2, f64::max);
    let count = results.len();
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .set_label_area_size(LabelAreaPosition::Left, 380)
        .set_label_area_size(LabelAreaPosition::Bottom, 40)
        .build_cartesian_2d(0.0..most * 1.05, (0..count).into_segmented())
        .map_err(failed)?;
    let name = |place: &SegmentValue<usize>| match place {
        // The axis has one more position than results.
        SegmentValue::CenterOf(index) => {
            (count.checked_sub(index + 1)).map_or(String::new(), |from_above| results[from_above].what.clone())
        }
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(count)
        .y_label_formatter(&name)
        .x_desc("ratio to the reference; the tick is the target")
        .label_style((FONT, 13))
        .draw()
        .map_err(failed)?;
    for (index, result) in results.iter().rev().enumerate() {
        let (place, centre) = (SegmentValue::Exact(index), SegmentValue::CenterOf(index));
        let color = if result.met() == Some(false) { MISSED } else { MET };
        let mut bar = Rectangle::new(
            [(0.0, place), (result.ratio(), SegmentValue::Exact(index + 1))],
            color.mix(0.55).filled(),
        );
        bar.set_margin(5, 5, 0, 0);
        chart.draw_series([bar]).map_err(failed)?;
        let (low, high) = result.rounds.spread();
        let spread = PathElement::new(
            vec![(low, centre.clone()), (high.min(most), centre)],
            BLACK.stroke_width(1),
        );
        chart.draw_series([spread]).map_err(failed)?;
        if let Target::AtLeast(target) | Target::AtMost(target) = result.target {
            let ends = vec![
                (target, SegmentValue::Exact(index)),
                (target, SegmentValue::Exact(index + 1)),
            ];
            chart
                .draw_series([PathElement::new(ends, BLACK.stroke_width(3))])
                .map_err(failed)?;
        }
    }
    area.present().map_err(failed)
}

/// Plots each growth as a line, with that of the logarithm.
pub(crate) fn growths<'a>(file: &Path, growths: impl Iterator<Item = &'a Growth>) -> Result<()> {
    let growths: Vec<_> = growths.collect();
    let sizes = || {
        growths
            .iter()
            .flat_map(|growth| &growth.points)
            .map(|point| point.size as f64)
    };
    let (first, last) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(1.0, f64::max));
    if growths.is_empty() || first >= last {
        return Ok(());
    }
    let most = growths
        .iter()
        .flat_map(|growth| growth.multiples())
        .map(|(_, multiple)| multiple)
        .fold(1.6, f64::max);
    let area = SVGBackend::new(file, (900, 460)).into_drawing_area();
    area.fill(&WHITE).map_err(failed)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .margin_right(40)
        .set_label_area_size(LabelAreaPosition::Left, 60)
        .set_label_area_size(LabelAreaPosition::Bottom, 40)
        .build_cartesian_2d((first..last).log_scale(), 0.0..most * 1.1)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_label_formatter(&|stored| format!("{stored:.0}"))
        .x_desc("stored")
        .y_desc("cost of one, as a multiple of the first")
        .label_style((FONT, 13))
        .draw()
        .map_err(failed)?;
    for (index, growth) in growths.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let line = growth
            .multiples()
            .into_iter()
            .map(|(size, multiple)| (size as f64, multiple));
        chart
            .draw_series(LineSeries::new(line, color.stroke_width(2)).point_size(3))
            .map_err(failed)?
            .label(&growth.what)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    let steps = (0..=20).map(|step| first * (last / first).powf(f64::from(step) / 20.0));
    let logarithm = steps.map(|size| (size, size.ln() / first.ln()));
    chart
        .draw_series(LineSeries::new(logarithm, BLACK.stroke_width(1)))
        .map_err(failed)?
        .label("the logarithm of what is stored")
        .legend(|(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], BLACK));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE)
        .border_style(BLACK)
        .label_font((FONT, 13))
        .draw()
        .map_err(failed)?;
    area.present().map_err(failed)
}

fn failed<E: std::error::Error + Send + Sync + 'static>(error: DrawingAreaErrorKind<E>) -> anyhow::Error {
    anyhow!("cannot draw: {error}")
}
