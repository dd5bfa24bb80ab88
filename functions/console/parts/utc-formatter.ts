/** Formats a day or an instant in UTC. Loads the locale data at the first use, not at the Worker's start. */
export function utcFormatter(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let formatter: Intl.DateTimeFormat | undefined
  return (at) => {
    formatter ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' })
    return formatter.format(at)
  }
}
