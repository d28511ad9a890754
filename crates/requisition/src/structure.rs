//! Structure of the document for readers and screen readers: headings, lists and tables.

use std::num::{NonZeroU16, NonZeroU32};

use krilla::geom::Rect;
use krilla::tagging::{BBox, Identifier, ListNumbering, Node, TableHeaderScope, Tag, TagGroup, TagKind, TagTree};

/// Element of the structure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeId(usize);

/// Leaf of an element: content on a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeafId(usize);

/// Role of an element.
#[derive(Clone)]
pub(crate) enum Role {
    Section,
    /// Heading of a level, with its text.
    Heading(NonZeroU16, String),
    Paragraph,
    List,
    Item,
    Label,
    Body,
    Table,
    Row,
    /// Heading of a column.
    ColumnHeading,
    /// Heading of the rows below it, across so many columns.
    GroupHeading(NonZeroU32),
    Cell,
    /// Picture on the first page, with its description and position.
    Figure(String, Rect),
}

enum Child {
    Node(NodeId),
    Leaf(LeafId),
}

/// Elements, in reading order.
pub(crate) struct Structure {
    nodes: Vec<(Role, Vec<Child>)>,
    leaves: usize,
}

impl Structure {
    /// Root element.
    pub(crate) const ROOT: NodeId = NodeId(0);

    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![(Role::Section, Vec::new())],
            leaves: 0,
        }
    }

    /// Adds an element at the end of another one.
    pub(crate) fn node(&mut self, parent: NodeId, role: Role) -> NodeId {
        let node = NodeId(self.nodes.len());
        self.nodes.push((role, Vec::new()));
        self.nodes[parent.0].1.push(Child::Node(node));
        node
    }

    /// Adds a leaf at the end of an element. It must be drawn once.
    pub(crate) fn leaf(&mut self, parent: NodeId) -> LeafId {
        let leaf = LeafId(self.leaves);
        self.leaves += 1;
        self.nodes[parent.0].1.push(Child::Leaf(leaf));
        leaf
    }

    /// Returns the tags of the document, with the identifiers of its content.
    pub(crate) fn tags(&self, drawn: &Drawn) -> TagTree {
        let mut tree = TagTree::new();
        if let Some(group) = self.group(Self::ROOT, drawn) {
            tree.push(group);
        }
        tree
    }

    fn group(&self, node: NodeId, drawn: &Drawn) -> Option<TagGroup> {
        let (role, children) = &self.nodes[node.0];
        let children: Vec<Node> = children
            .iter()
            .filter_map(|child| match child {
                Child::Node(node) => self.group(*node, drawn).map(Node::from),
                Child::Leaf(leaf) => drawn.0.get(leaf.0).copied().flatten().map(Node::from),
            })
            .collect();
        let mut group = TagGroup::new(role.tag());
        group.children = children;
        (!group.children.is_empty()).then_some(group)
    }

    pub(crate) fn drawn(&self) -> Drawn {
        Drawn(vec![None; self.leaves])
    }
}

/// Identifiers of drawn content.
pub(crate) struct Drawn(Vec<Option<Identifier>>);

impl Drawn {
    pub(crate) fn identify(&mut self, leaf: LeafId, identifier: Identifier) {
        self.0[leaf.0] = Some(identifier);
    }
}

impl Role {
    fn tag(&self) -> TagKind {
        match self {
            Self::Section => Tag::Section.into(),
            Self::Heading(level, title) => Tag::Hn(*level, Some(title.clone())).into(),
            Self::Paragraph => Tag::P.into(),
            Self::List => Tag::L(ListNumbering::None).into(),
            Self::Item => Tag::LI.into(),
            Self::Label => Tag::Lbl.into(),
            Self::Body => Tag::LBody.into(),
            Self::Table => Tag::Table.into(),
            Self::Row => Tag::TR.into(),
            Self::ColumnHeading => Tag::TH(TableHeaderScope::Column).into(),
            Self::GroupHeading(columns) => Tag::TH(TableHeaderScope::Row).with_col_span(Some(*columns)).into(),
            Self::Cell => Tag::TD.into(),
            Self::Figure(alt, area) => Tag::Figure(Some(alt.clone()))
                .with_bbox(Some(BBox::new(0, *area)))
                .into(),
        }
    }
}
