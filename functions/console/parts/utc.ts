/** A day or an instant in words, in UTC; the words are loaded at their first use, not at the Worker's start. */
export function utc(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let made: Intl.DateTimeFormat | undefined
  return (at) => {
    made ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    return made.format(at)
  }
}
