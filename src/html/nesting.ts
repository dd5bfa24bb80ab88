/** HTML elements that end without an end tag, and what ends them. */
export const words = (text: string) => new Set(text.trim().split(/\s+/))

export const VOID = words('area base br col embed hr img input link meta param source track wbr')
/** Their end tags may be omitted. */
export const OPTIONAL = words(
  'p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rt rp html head body',
)
export const ENDS_PARAGRAPH = words(
  `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6
  header hgroup hr main menu nav ol p pre search section summary table ul`,
)
const ROW_PARTS = words('td th')
/** The open elements that each start tag ends, within the element that holds both. */
export const ENDS: Record<string, { ended: Set<string>; within: Set<string> }> = {
  li: { ended: words('li'), within: words('ul ol menu') },
  dt: { ended: words('dt dd'), within: words('dl') },
  dd: { ended: words('dt dd'), within: words('dl') },
  option: { ended: words('option'), within: words('select datalist optgroup') },
  td: { ended: ROW_PARTS, within: words('tr table') },
  th: { ended: ROW_PARTS, within: words('tr table') },
  tr: { ended: words('tr td th'), within: words('table') },
  thead: { ended: words('tr td th thead tbody tfoot caption colgroup'), within: words('table') },
  tbody: { ended: words('tr td th thead tbody tfoot caption colgroup'), within: words('table') },
  tfoot: { ended: words('tr td th thead tbody tfoot caption colgroup'), within: words('table') },
}
/** Start tags inside these do not end a paragraph around them. */
export const SCOPES = words('button caption td th table object template svg math')
