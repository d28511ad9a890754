//! `wearlab top`: the live state of a service in a terminal, from its `/metrics`.

mod cells;
mod keys;
mod plain;
mod render;
#[cfg(test)]
mod tests;
mod view;

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use reqwest::{StatusCode, Url};
use wearlab_web::metrics_text::MetricsText;

use self::render::Screen;
use self::view::{Scrape, View};
use super::output::print_line;
use crate::stop::Stop;

/// Interval of scrapes.
const INTERVAL: Duration = Duration::from_secs(1);
/// Timeout of a scrape.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Window of rates, in seconds.
const RATE_WINDOW: usize = 5;
/// Window of latencies, in seconds.
const LATENCY_WINDOW: usize = 60;
/// Timeout of waiting for a key before the screen is redrawn.
const KEY_TIMEOUT: Duration = Duration::from_millis(100);

/// Options of the command.
#[derive(clap::Args)]
pub(super) struct Options {
    /// URL of the service's management address, where /metrics is.
    #[arg(
        long,
        visible_alias = "url",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080"
    )]
    base_url: Url,
    /// Print the state once, as plain text, and exit. Rates are those of one second, latencies those since the start.
    #[arg(long)]
    once: bool,
}

/// Shows the state until a key or a signal ends it.
pub(super) async fn run(options: Options) -> Result<()> {
    let service = Service::new(options.base_url)?;
    if options.once {
        return once(&service).await;
    }
    ensure!(
        io::stdout().is_terminal() && io::stdin().is_terminal(),
        "there is no terminal: --once prints the state as text"
    );
    let mut stop = Stop::listen().context("cannot listen for signals")?;
    let url = service.shown();
    let (sender, received) = channel();
    let asking = tokio::spawn(ask(service, sender));
    let stopped = Arc::new(AtomicBool::new(false));
    let noting = stopped.clone();
    let stopping = tokio::spawn(async move {
        stop.asked().await;
        noting.store(true, Ordering::Relaxed);
    });
    // A panic on that thread restores the terminal, too, before it is reported.
    let shown = tokio::task::spawn_blocking(move || {
        let mut terminal = ratatui::try_init()?;
        let shown = show(&mut terminal, url, &received, &stopped);
        ratatui::restore();
        shown
    });
    let shown = shown.await.context("the view failed")?;
    asking.abort();
    stopping.abort();
    shown.context("cannot use the terminal")
}

async fn once(service: &Service) -> Result<()> {
    let before = service.scrape().await.map_err(anyhow::Error::msg)?;
    tokio::time::sleep(INTERVAL).await;
    let now = service.scrape().await.map_err(anyhow::Error::msg)?;
    let mut view = View::new(&now, Some(&before), None);
    view.sort(view::OperationOrder::default(), view::DestinationOrder::default());
    print_line(plain::text(&service.shown(), &view))
}

/// Client of a service's metrics.
struct Service {
    client: reqwest::Client,
    url: Url,
}

impl Service {
    fn new(mut url: Url) -> Result<Self> {
        if !matches!(url.scheme(), "http" | "https") || url.cannot_be_a_base() {
            bail!("--base-url: expected an http or https URL, such as http://127.0.0.1:8081");
        }
        let path = format!("{}/metrics", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let client = reqwest::Client::builder().timeout(TIMEOUT).build();
        Ok(Self {
            client: client.context("cannot make a client")?,
            url,
        })
    }

    /// Returns its URL without parts that may be secret.
    fn shown(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Reads the metrics. The error is the reason of the failure.
    async fn scrape(&self) -> Result<Scrape, String> {
        let failed = |error: reqwest::Error| match error.is_timeout() {
            true => format!("no response from {} within {}s", self.shown(), TIMEOUT.as_secs()),
            false => format!("cannot reach {}: {}", self.shown(), cause(&error.without_url())),
        };
        let response = self.client.get(self.url.clone()).send().await.map_err(failed)?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err(format!(
                "{} responded with {status}: /metrics is at the management address",
                self.shown()
            ));
        }
        let text = response.text().await.map_err(failed)?;
        let metrics = MetricsText::parse(&text).map_err(|error| format!("not metrics: {error}"))?;
        let is_service = metrics.sum("wearlab_build_info").is_some();
        let scrape = Scrape {
            at: Instant::now(),
            metrics,
        };
        match is_service {
            true => Ok(scrape),
            false => Err(format!("the metrics at {} are not those of wearlab", self.shown())),
        }
    }
}

/// Returns the innermost cause of an error, which is the most specific.
fn cause(mut error: &dyn std::error::Error) -> String {
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Scrapes once a second, until the receiver is dropped.
async fn ask(service: Service, sender: Sender<Result<Scrape, String>>) {
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if sender.send(service.scrape().await).is_err() {
            return;
        }
    }
}

/// Draws the received scrapes, until a key or a signal ends it.
fn show(
    terminal: &mut DefaultTerminal,
    url: String,
    received: &Receiver<Result<Scrape, String>>,
    stopped: &AtomicBool,
) -> io::Result<()> {
    let mut screen = Screen {
        url,
        ..Screen::default()
    };
    let mut history = History::default();
    while !stopped.load(Ordering::Relaxed) {
        for scrape in received.try_iter() {
            history.add(scrape, &mut screen);
        }
        if let (Some((_, seconds)), Some(since)) = (&mut screen.down, history.down_since) {
            *seconds = since.elapsed().as_secs();
        }
        terminal.draw(|frame| screen.draw(frame))?;
        if event::poll(KEY_TIMEOUT)?
            && let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
            && !screen.press(key)
        {
            break;
        }
    }
    Ok(())
}

/// Scrapes of the last minute.
#[derive(Default)]
struct History {
    scrapes: VecDeque<Scrape>,
    down_since: Option<Instant>,
}

impl History {
    fn add(&mut self, scrape: Result<Scrape, String>, screen: &mut Screen) {
        let scrape = match scrape {
            Ok(scrape) => scrape,
            Err(reason) => {
                let since = *self.down_since.get_or_insert_with(Instant::now);
                screen.down = Some((reason, since.elapsed().as_secs()));
                return;
            }
        };
        let restarted = self.scrapes.back().is_some_and(|last| last.uptime() > scrape.uptime());
        // Counts before an outage would distort rates after it.
        if restarted || self.down_since.take().is_some() {
            self.scrapes.clear();
        }
        self.scrapes.push_back(scrape);
        if self.scrapes.len() > LATENCY_WINDOW + 1 {
            self.scrapes.pop_front();
        }
        let Some(now) = self.scrapes.back() else { return };
        let earlier = |seconds: usize| {
            let last = self.scrapes.len() - 1;
            (last > 0).then(|| &self.scrapes[last.saturating_sub(seconds)])
        };
        screen.view = View::new(now, earlier(RATE_WINDOW), earlier(LATENCY_WINDOW));
        screen.view.sort(screen.operation_order, screen.destination_order);
        screen.is_known = true;
        screen.down = None;
    }
}
