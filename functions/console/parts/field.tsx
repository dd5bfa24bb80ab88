/** A control with its label, what it means, and what is wrong with it. */
import type { Child } from 'hono/jsx'

type Common = {
  label: string
  name: string
  hint?: Child
  /** The broken rule, such as `must be a domain name`; the label goes before it. */
  error?: string | undefined
}

type Described = { id: string; name: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' }

type TextFieldProps = Common & {
  value?: string | undefined
  type?: 'text' | 'password' | 'date' | 'datetime-local' | 'number' | 'search' | 'url'
  required?: boolean
  autocomplete?: string
  placeholder?: string
  min?: string
  step?: string
  /** A time in UTC, which the script turns into the reader's zone and back. */
  'data-utc'?: 'yes'
}

/** A line of text; browsers are asked not to correct it. */
export function TextField({
  label,
  name,
  hint,
  error,
  type = 'text',
  autocomplete = 'off',
  ...rest
}: TextFieldProps) {
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      {(described) => (
        <input
          {...described}
          {...rest}
          type={type}
          autocomplete={autocomplete}
          autocapitalize="none"
          spellcheck={false}
        />
      )}
    </Field>
  )
}

type Option = { value: string; text: string }
type SelectFieldProps = Common & { value?: string | undefined; options: Option[] }

export function SelectField({ value, options, ...common }: SelectFieldProps) {
  return (
    <Field {...common}>
      {(described) => (
        <select {...described}>
          {options.map((option) => (
            <option value={option.value} selected={option.value === value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type TextAreaFieldProps = Common & { value?: string | undefined; rows: number; required?: boolean }

/** Lines of text, kept as they are. */
export function TextAreaField({ label, name, hint, error, value = '', ...rest }: TextAreaFieldProps) {
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      {(described) => (
        // The first line break in a textarea is the tag's own.
        <textarea {...described} {...rest} autocomplete="off" autocapitalize="none" spellcheck={false}>
          {`\n${value}`}
        </textarea>
      )}
    </Field>
  )
}

export function CheckField({ label, name, hint, error, checked }: Common & { checked: boolean }) {
  const described = describe(name, hint, error)
  return (
    <div class="field check">
      <input {...described} type="checkbox" value="on" checked={checked} />
      <label for={described.id}>{label}</label>
      <Words label={label} name={name} hint={hint} error={error} />
    </div>
  )
}

type FieldProps = Common & { children: (described: Described) => Child }

function Field({ label, name, hint, error, children }: FieldProps) {
  const described = describe(name, hint, error)
  return (
    <div class="field">
      <label for={described.id}>{label}</label>
      {children(described)}
      <Words label={label} name={name} hint={hint} error={error} />
    </div>
  )
}

function Words({ label, name, hint, error }: Common) {
  return (
    <>
      {error && (
        <p class="error" id={`${name}-error`}>
          {label} {error}.
        </p>
      )}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </>
  )
}

function describe(name: string, hint: Child, error: string | undefined): Described {
  const ids = [error && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ')
  return {
    id: name,
    name,
    ...(ids && { 'aria-describedby': ids }),
    ...(error && { 'aria-invalid': 'true' as const }),
  }
}
