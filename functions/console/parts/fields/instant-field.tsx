/** A field for an instant, in UTC. With the script it is in the reader's time zone. */
import { parseInstant } from '../../../../src/core/instant.ts'
import { TextField } from './field.tsx'

/** A local time without a zone, as browsers send it. */
const WALL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/

type InstantFieldProps = {
  label: string
  name: string
  value?: string | undefined
  error?: string | undefined
  required?: boolean
  hint?: string
  /** RFC 3339. */
  min?: string
  'data-presets'?: 'chosen' | 'suggested'
}

/** A text field keeps an invalid time, which a time field would drop. */
export function InstantField({ value, min, hint = 'In UTC.', ...props }: InstantFieldProps) {
  if (props.error && value && !toFieldValue(value))
    return <TextField {...props} error="must be a date and time" value={value} />
  return (
    <TextField
      {...props}
      type="datetime-local"
      step="any"
      data-utc="yes"
      hint={hint}
      value={value && toFieldValue(value)}
      {...(min && { min: toFieldValue(min) })}
    />
  )
}

/** RFC 3339 for the value of the field. Other texts stay unchanged. */
export function toInstantText(text: string): string {
  if (!WALL_TIME.test(text)) return text
  return `${text}${text.split(':').length === 2 ? ':00' : ''}Z`
}

/** Drops zero seconds. */
function toFieldValue(text: string): string {
  const at = parseInstant(toInstantText(text).replace(' ', '+'))
  return (at?.toISOString() ?? '')
    .replace(/Z$/, '')
    .replace(/\.000$/, '')
    .replace(/:00$/, '')
}
