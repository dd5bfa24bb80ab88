/** The end of a form that filters a list. `clear` is the path of the list without a filter, where one is set. */
export function FilterActions({ clear }: { clear: string | null }) {
  return (
    <div class="actions">
      <button type="submit" class="button">
        Filter
      </button>
      {clear && (
        <a class="button quiet" href={clear}>
          Clear
        </a>
      )}
    </div>
  )
}
