//! Runs a query.

use crate::bits::Bits;
use crate::index::Index;
use crate::matches::Lookups;
use crate::query::Query;
use crate::rank_key::Best;

/// Minimum hits below which words with a typo are also searched.
const FEW: usize = 5;

/// Best codes for a query, best first, and the number of steps of the search.
pub(crate) struct Found {
    pub(crate) codes: Vec<usize>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test bounds the work of a search"))]
    pub(crate) steps: usize,
}

impl Index {
    pub(crate) fn search(&self, text: &str, limit: usize) -> Found {
        let query = Query::new(text);
        let mut codes: Vec<usize> = query.codes(&self.list).collect();
        codes.sort_by_key(|&at| (self.list.length(at), at));
        let is_code = !codes.is_empty();
        let mut seen = Bits::new(self.list.codes());
        for &at in &codes {
            seen.insert(at);
        }
        let (mut lookups, mut looked) = (Lookups::default(), codes.len());
        for typos in [false, true] {
            if typos && (is_code || codes.len() >= FEW) {
                break;
            }
            let readings = query.readings(&self.list, typos);
            // Readings may have the same codes.
            let mut best = Best::new(readings.len() * limit.max(FEW));
            for reading in &readings {
                looked += self.rank(reading, typos, &mut lookups, &seen, &mut best);
            }
            codes.extend(best.in_order().filter(|&at| seen.insert(at)));
        }
        codes.truncate(limit);
        Found {
            codes,
            steps: looked + lookups.steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::INDEX;

    #[test]
    fn every_common_phrase_has_words_that_the_list_has() {
        for line in include_str!("../data/phrases.tsv").lines() {
            let (common, listed) = line.split_once('\t').expect("two columns");
            assert_eq!(crate::words::fold(common), common, "small letters, no accents");
            let found = INDEX.search(listed, 5).codes;
            assert!(!found.is_empty(), "{listed}");
            let shown = INDEX.search(common, 5).codes;
            assert!(
                shown
                    .iter()
                    .take(5)
                    .any(|code| found[..found.len().min(5)].contains(code)),
                "{common}"
            );
        }
    }

    #[test]
    fn a_query_costs_no_more_than_its_words() {
        let letters: String = ('a'..='z').chain('0'..='9').flat_map(|c| [c, ' ']).collect();
        let pairs: String = ('a'..='z')
            .flat_map(|a| ['e', 'i', 'o'].map(|b| format!("{a}{b} ")))
            .collect();
        let queries = [
            letters,
            pairs,
            "a".repeat(10_000),
            "a ".repeat(10_000),
            "of the with and ".repeat(9),
            "encounter initial subsequent sequela fracture ".repeat(9),
            "diabetse hypertenson fracutre encuonter asthna ".repeat(9),
            "-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z".repeat(9),
            "\u{1f980}\u{301}".repeat(500),
        ];
        // A few passes over all codes and words; 64 words that each take such a pass would exceed it.
        let bound = 20 * (INDEX.list.codes() + INDEX.words.len() + INDEX.texts());
        for query in queries {
            let steps = INDEX.search(&query, 50).steps;
            assert!(steps < bound, "{steps} of {bound}: {:.40}", query);
        }
    }
}
