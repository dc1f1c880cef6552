/** An element as a person would name it. */
export interface Target {
  kind: 'button' | 'link' | 'field' | 'text'
  /** The whole accessible name; of a text a part of it. */
  name: string | undefined
  /** A selector of the part of the page that has it. */
  within?: string
}

export interface Found {
  /** How many elements of this name are on the screen. */
  count: number
  /** Why a person cannot press the first of them; undefined when they can. */
  problem?: string
  /** The middle of the first. */
  x: number
  y: number
}

/** Runs in the page, so it must not use anything outside itself. Scrolls to an element that is out of sight. */
export function findInPage(target: Target): Found {
  const selectors = {
    button: 'button, summary, [role=button], [role=option], [role=switch]',
    link: 'a[href]',
    field: 'input, textarea, select',
    text: '*',
  }
  const plain = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  const byIds = (ids: string) =>
    ids
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .join(' ')
  const nameOf = (element: Element) => {
    const label = element.getAttribute('aria-label')
    const ids = element.getAttribute('aria-labelledby')
    if (label !== null) return plain(label)
    if (ids !== null) return plain(byIds(ids))
    const labels =
      'labels' in element ? (element.labels as NodeListOf<HTMLLabelElement> | null) : null
    const [first] = labels ?? []
    return plain(first?.textContent ?? element.textContent)
  }
  /** Without a note or a key beside it. */
  const ownWords = (element: Element) => {
    const [label = element] =
      'labels' in element ? ((element.labels as NodeListOf<Element> | null) ?? []) : []
    return plain(
      [...label.childNodes].map((node) => (node.nodeType === 3 ? node.textContent : '')).join(' '),
    )
  }
  const isNamed = (element: Element) => {
    if (target.name === undefined) return true
    if (target.kind !== 'text')
      return nameOf(element) === target.name || ownWords(element) === target.name
    const has = (each: Element) => plain(each.textContent).includes(target.name ?? '')
    return has(element) && ![...element.children].some(has)
  }
  const isRendered = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true })
  }
  const problemOf = (element: Element, x: number, y: number) => {
    for (let each: Element | null = element; each; each = each.parentElement)
      if (Number(getComputedStyle(each).opacity) < 0.35) return 'it is transparent'
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight)
      return `it is at ${x}, ${y}, outside the window`
    const top = document.elementFromPoint(x, y)
    // The link of a row lies over its words.
    const part = target.kind === 'text' ? (element.closest('article') ?? element) : element
    if (top === null || !part.contains(top))
      return `it is covered by ${top?.outerHTML.slice(0, 120)}`
    return undefined
  }

  const roots =
    target.within === undefined ? [document] : [...document.querySelectorAll(target.within)]
  const all = roots.flatMap((root) => [...root.querySelectorAll(selectors[target.kind])])
  const [first, ...others] = all.filter((element) => isNamed(element) && isRendered(element))
  if (first === undefined) return { count: 0, problem: 'it is not there', x: 0, y: 0 }
  const look = () => {
    const { left, top, width, height } = first.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    return { x, y, problem: problemOf(first, x, y) }
  }
  let { x, y, problem } = look()
  if (problem !== undefined) {
    first.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
    ;({ x, y, problem } = look())
  }
  return { count: 1 + others.length, x, y, ...(problem !== undefined && { problem }) }
}
