/** HTML elements that end without an end tag, and what ends them. */
export const wordSet = (text: string) => new Set(text.trim().split(/\s+/))

export const VOID = wordSet('area base br col embed hr img input link meta param source track wbr')
/** Their end tags may be omitted. */
export const OPTIONAL = wordSet(
  'p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rt rp html head body',
)
export const ENDS_PARAGRAPH = wordSet(
  `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hgroup hr main menu nav ol p pre search section summary table ul`,
)
const ROW_PARTS = wordSet('td th')
/** The open elements that each start tag ends, within the element that holds both. */
export const CLOSED_BY: Record<string, { ended: Set<string>; within: Set<string> }> = {
  li: { ended: wordSet('li'), within: wordSet('ul ol menu') },
  dt: { ended: wordSet('dt dd'), within: wordSet('dl') },
  dd: { ended: wordSet('dt dd'), within: wordSet('dl') },
  option: { ended: wordSet('option'), within: wordSet('select datalist optgroup') },
  td: { ended: ROW_PARTS, within: wordSet('tr table') },
  th: { ended: ROW_PARTS, within: wordSet('tr table') },
  tr: { ended: wordSet('tr td th'), within: wordSet('table') },
  thead: { ended: wordSet('tr td th thead tbody tfoot caption colgroup'), within: wordSet('table') },
  tbody: { ended: wordSet('tr td th thead tbody tfoot caption colgroup'), within: wordSet('table') },
  tfoot: { ended: wordSet('tr td th thead tbody tfoot caption colgroup'), within: wordSet('table') },
}
/** Start tags inside these do not end a paragraph around them. */
export const SCOPES = wordSet('button caption td th table object template svg math')
