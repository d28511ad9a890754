//! Which addresses a webhook may go to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;
use thiserror::Error;

use super::Settings;

/// Why an address is not allowed. Does not repeat the address, which may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddressError {
    /// It is no URL with a host.
    #[error("an endpoint's address is a URL such as https://example.com/events")]
    Url,
    /// It is neither https nor http.
    #[error("an endpoint's address begins with https://")]
    Scheme,
    /// It is http, and that is not allowed.
    #[error("an endpoint's address begins with https://; plain http must be allowed by the setting `allow_http`")]
    Http,
    /// Its host is an IP address that is not public.
    #[error("{0} is not a public address; its network must be allowed by the setting `allow_networks`")]
    NotPublic(IpAddr),
}

impl Settings {
    /// Reads the address of an endpoint, where it is allowed. Names are looked up only when something is sent.
    ///
    /// # Errors
    ///
    /// Where it is no address, or not allowed.
    pub fn check(&self, url: &str) -> Result<Url, AddressError> {
        let url = Url::parse(url).map_err(|_| AddressError::Url)?;
        match url.scheme() {
            "https" => {}
            "http" if self.allow_http => {}
            "http" => return Err(AddressError::Http),
            _ => return Err(AddressError::Scheme),
        }
        let host = url.host_str().ok_or(AddressError::Url)?;
        // The URL's parser has brought 127.1, 0x7f.0.0.1 and the like into one form; IPv6 stands in brackets.
        match host.trim_matches(['[', ']']).parse() {
            Ok(address) if !self.allows(address) => Err(AddressError::NotPublic(address)),
            _ => Ok(url),
        }
    }

    /// Whether something may be sent to an IP address.
    pub(super) fn allows(&self, address: IpAddr) -> bool {
        // ::ffff:10.0.0.1 is 10.0.0.1 by another name.
        let address = address.to_canonical();
        is_public(address) || self.allow_networks.iter().any(|network| network.contains(&address))
    }
}

/// Whether an address is anybody's to reach. By IANA's registries of special-purpose addresses.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !matches!(
        address.octets(),
        [0 | 10 | 127, ..]                // this network, private, loopback
            | [100, 64..=127, ..]         // shared by carriers; the metadata of some clouds
            | [169, 254, ..]              // link-local; the metadata of most clouds
            | [172, 16..=31, ..]          // private
            | [192, 0, 0 | 2, _]          // protocols, documentation
            | [192, 88, 99, _]            // former 6to4 relays
            | [192, 168, ..]              // private
            | [198, 18 | 19, ..]          // benchmarks
            | [198, 51, 100, _]           // documentation
            | [203, 0, 113, _]            // documentation
            | [168, 63, 129, 16]          // the host of a machine in Azure, public as it looks
            | [224..=255, ..] // multicast, reserved, broadcast
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // An IPv4 address as networks without IPv4 write it.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        [0x2001, 0..=0x1ff, ..]          // protocols, tunnels that hold an IPv4 address
        | [0x2001, 0xdb8, ..]            // documentation
        | [0x2002, ..]                   // 6to4, which holds an IPv4 address
        | [0x3fff, 0..=0xfff, ..] => false, // documentation
        // All that is handed out so far. Loopback, link-local, private and multicast are elsewhere.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// The addresses of a name that may be sent to.
pub(super) fn allowed<A>(settings: &Settings, found: impl Iterator<Item = A>, ip: impl Fn(&A) -> IpAddr) -> Vec<A> {
    found.filter(|address| settings.allows(ip(address))).collect()
}

#[cfg(test)]
mod tests {
    use super::{AddressError, Settings, allowed};

    fn allows(settings: &Settings, address: &str) -> bool {
        settings.allows(address.parse().expect("an address"))
    }

    #[test]
    fn only_public_addresses_are_allowed() {
        let settings = Settings::default();
        for public in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
        ] {
            assert!(allows(&settings, public), "{public} is public");
        }
        for closed in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.255",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1.1.1.1",
            "100::1",
            "2001::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!allows(&settings, closed), "{closed} is not public");
        }
    }

    #[test]
    fn networks_can_be_allowed() {
        let settings = Settings {
            allow_networks: ["10.1.0.0/16", "fd00::/64"]
                .map(|network| network.parse().expect("a network"))
                .into(),
            ..Settings::default()
        };
        for (address, allowed) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("10.2.0.1", false),
            ("fd00::7", true),
            ("fd00:0:0:1::7", false),
            ("127.0.0.1", false),
        ] {
            assert_eq!(allows(&settings, address), allowed, "{address}");
        }
    }

    #[test]
    fn of_the_addresses_of_a_name_the_public_ones_are_left() {
        let found =
            ["10.0.0.1", "1.1.1.1", "::1", "2606:4700::1111"].map(|address| address.parse().expect("an address"));
        let left = allowed(&Settings::default(), found.into_iter(), |address| *address);
        assert_eq!(left, [found[1], found[3]]);
    }

    #[test]
    fn addresses_are_read_before_anything_is_sent() {
        let settings = Settings::default();
        let check = |url: &str| settings.check(url).map(|_| ());
        for url in [
            "https://example.com/hook",
            "https://1.1.1.1:8443/",
            "https://[2606:4700::1111]/",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for (url, error) in [
            ("", AddressError::Url),
            ("/hook", AddressError::Url),
            ("https://", AddressError::Url),
            ("ftp://example.com", AddressError::Scheme),
            ("file:///etc/passwd", AddressError::Scheme),
            ("http://example.com", AddressError::Http),
        ] {
            assert_eq!(check(url), Err(error), "{url}");
        }
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "127.0.0.1.",
            "①②⑦.0.0.1",
            "0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "10.0.0.1",
            "169.254.169.254",
            "[fe80::1]",
            "user:pass@127.0.0.1",
        ] {
            let error = check(&format!("https://{host}/hook")).expect_err(host);
            assert!(matches!(error, AddressError::NotPublic(_)), "{host}: {error}");
        }
    }
}
