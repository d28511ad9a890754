//! `wearlab link-token`: creates link tokens.

use anyhow::Result;
use wearlab_models::{LinkTokenInput, Uuid};
use wearlab_service::administration::link_tokens::{self, MINUTES};

use super::output::print_line;
use super::session::{ApiArgs, is_absent};
use super::store_args::failed;
use super::user;

/// Longest validity, a day: the token gives access to the descriptions of providers for linking.
const MAX_MINUTES: i64 = 24 * 60;

/// Options of a link token.
#[derive(clap::Args)]
pub(super) struct LinkToken {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Create a link token and print it. The store keeps only its hash.
    Create(Create),
}

#[derive(clap::Args)]
struct Create {
    /// Team of the token; with --base-url, it is that of the key.
    #[arg(
        long,
        value_name = "UUID",
        required_unless_present = "base_url",
        conflicts_with = "base_url"
    )]
    team: Option<Uuid>,
    /// User who links: prints the token and the URL of their link page. Without it, the token is one of the whole team.
    #[arg(long, value_name = "UUID", required_unless_present = "team")]
    user: Option<Uuid>,
    /// Only provider to link, by its slug.
    #[arg(long, value_name = "SLUG", requires = "user")]
    provider: Option<String>,
    /// Final redirect of the browser: one of the redirect URLs of the team.
    #[arg(long, value_name = "URL", requires = "user")]
    redirect_url: Option<String>,
    /// Validity of a token of the whole team in minutes, at most 1440 (a day).
    #[arg(long, value_name = "N", default_value_t = MINUTES, conflicts_with = "user", value_parser = clap::value_parser!(u32).range(1..=MAX_MINUTES))]
    minutes: u32,
    #[command(flatten)]
    api: ApiArgs,
}

pub(super) async fn run(options: LinkToken) -> Result<()> {
    let Command::Create(options) = options.command;
    match (options.user, options.team) {
        // No operation creates a token of a whole team.
        (None, Some(team)) => {
            let store = options.api.store().open().await?;
            print_line(
                link_tokens::create(&store, team, options.minutes)
                    .await
                    .map_err(failed)?,
            )
        }
        (user, _) => of_user(&options, user.unwrap_or_default()).await,
    }
}

async fn of_user(options: &Create, user_id: Uuid) -> Result<()> {
    let session = options.api.session().await?;
    let team = session.team(options.team).await?;
    let input = LinkTokenInput::builder()
        .user_id(user_id)
        .maybe_provider(options.provider.clone())
        .maybe_redirect_url(options.redirect_url.clone())
        .build();
    let created = team.create_link_token(input).send().await;
    let created = created.map_err(|error| match is_absent(&error) {
        true => user::unknown(),
        false => session.failed("create the link token", &error),
    })?;
    print_line(created.link_token.expose())?;
    print_line(created.link_web_url.expose())
}
