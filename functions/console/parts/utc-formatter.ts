/** Formats in UTC. Loads the locale data on first use, to keep the Worker's start fast. */
export function utcFormatter(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let formatter: Intl.DateTimeFormat | undefined
  return (at) => {
    formatter ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    return formatter.format(at)
  }
}
