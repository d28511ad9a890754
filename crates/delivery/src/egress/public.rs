//! Public IP addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address is public, by IANA's registries of special-purpose addresses.
///
/// An IPv4 address written as `::ffff:1.1.1.1` is not public here: `to_canonical` converts it before.
pub(super) fn is_public(address: IpAddr) -> bool {
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
        // All blocks that are allocated so far. Loopback, link-local, private and multicast are elsewhere.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    fn public_one(address: &str) -> bool {
        is_public(address.parse().expect("an address"))
    }

    #[test]
    fn what_is_special_is_not_public() {
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
            "64:ff9b::1.1.1.1",
        ] {
            assert!(public_one(public), "{public} is public");
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
            assert!(!public_one(closed), "{closed} is not public");
        }
    }
}
