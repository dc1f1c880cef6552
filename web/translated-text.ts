/**
 * Keeps React working on a page that the browser translates. A translator puts elements in place of text nodes; React
 * still holds the texts, so removing one or inserting before one throws, and a changed text stays unseen. Here each text
 * knows its translation: removing it removes the translation, and a changed text comes back, to be translated again.
 * Call it once, before the first rendering.
 */
export function keepTranslatedTexts(): void {
  const translations = new WeakMap<Node, ChildNode>()
  const observer = new MutationObserver(follow)

  function follow(records: MutationRecord[]): void {
    const added = new Set(records.flatMap(({ addedNodes }) => [...addedNodes]))
    for (const record of records) {
      if (record.type === 'characterData') bringBack(record.target)
      else for (const node of record.removedNodes) rememberTranslation(node, record, added)
    }
  }

  function rememberTranslation(text: Node, record: MutationRecord, added: Set<Node>): void {
    if (!(text instanceof Text) || text.parentNode === record.target) return
    const { nextSibling, previousSibling, addedNodes, target } = record
    // Replaced by an element, put into one, or removed beside a new one.
    const translation = [...addedNodes, wrapperIn(target, text), nextSibling, previousSibling].find(
      (node) => node instanceof HTMLElement && node.parentNode === target && added.has(node),
    )
    if (!(translation instanceof HTMLElement)) return
    translations.set(text, translation)
    observer.observe(text, { characterData: true })
  }

  function bringBack(text: Node): void {
    const translation = translations.get(text)
    translations.delete(text)
    if (translation?.parentNode) translation.replaceWith(text)
  }

  /** The node of `parent` to use in place of its former child. */
  function placeOf(child: Node, parent: Node): Node | undefined {
    if (child.parentNode === parent) return child
    follow(observer.takeRecords())
    const translation = translations.get(child)
    return translation?.parentNode === parent ? translation : undefined
  }

  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    const place = placeOf(child, this)
    translations.delete(child)
    if (place !== undefined) removeChild.call(this, place)
    return child
  }
  Node.prototype.insertBefore = function <Child extends Node>(
    this: Node,
    node: Child,
    before: Node | null,
  ): Child {
    const place = before && placeOf(before, this)
    // A text that moves is not the one that was translated.
    translations.get(node)?.remove()
    translations.delete(node)
    insertBefore.call(this, node, place ?? null)
    return node
  }
  observer.observe(document, { childList: true, subtree: true })
}

/** The child of `parent` that holds a node; undefined for one that is elsewhere. */
function wrapperIn(parent: Node, node: Node): Node | undefined {
  const { parentNode } = node
  if (parentNode === null || parentNode === parent) return parentNode === null ? undefined : node
  return wrapperIn(parent, parentNode)
}
