import type { Child } from 'hono/jsx'

type Common = {
  /** Text of a writer, which browsers may check. */
  spellcheck?: boolean
  label: string
  name: string
  hint?: Child
  /** Such as `must look like example.com`, after the label, or a sentence with its own subject. */
  error?: string | undefined
  /** The server checks it, so that an empty field gets an error like any other. */
  required?: boolean | undefined
}

type ControlAttributes = {
  id: string
  name: string
  autofocus?: true
  'aria-required'?: 'true'
  'aria-describedby'?: string
  'aria-invalid'?: 'true'
}

type TextFieldProps = Common & {
  value?: string | undefined
  type?: 'text' | 'password' | 'date' | 'datetime-local' | 'number' | 'search' | 'url' | 'file'
  autocomplete?: string
  placeholder?: string | undefined
  min?: string
  step?: string
  autofocus?: boolean
  /** The file types to offer. */
  accept?: string
  'data-max-bytes'?: number
  /** A time in UTC. The script converts it to the reader's time zone and back. */
  'data-utc'?: 'yes'
  /** The script adds buttons for common times. `suggested`: nobody has chosen the value. */
  'data-presets'?: 'chosen' | 'suggested' | undefined
}

export function TextField({
  type = 'text',
  autocomplete = 'off',
  spellcheck = false,
  ...props
}: TextFieldProps) {
  return (
    <Field {...props}>
      {(attributes) => (
        <input
          {...attributes}
          dir={isProse(type) ? 'auto' : undefined}
          type={type}
          autocomplete={autocomplete}
          autocapitalize={spellcheck ? 'sentences' : 'none'}
          spellcheck={spellcheck}
        />
      )}
    </Field>
  )
}

/** Prose may run from right to left. */
const isProse = (type: string) => type === 'text' || type === 'search'

export type Option = readonly [value: string, text: string]
type SelectFieldProps = Common & { value?: string | undefined; options: readonly Option[] }

export function SelectField({ value, options, ...props }: SelectFieldProps) {
  return (
    <Field {...props}>
      {(attributes) => (
        <select {...attributes}>
          {options.map(([option, text]) => (
            <option value={option} selected={option === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type TextAreaFieldProps = Common & {
  value?: string | undefined
  rows: number
  placeholder?: string | undefined
  autofocus?: boolean
  /** Between the label and the text. */
  above?: Child
}

export function TextAreaField({ value = '', spellcheck = false, ...props }: TextAreaFieldProps) {
  return (
    <Field {...props}>
      {(attributes) => (
        // HTML drops the first line break of a textarea.
        <textarea
          {...attributes}
          dir="auto"
          autocomplete="off"
          autocapitalize={spellcheck ? 'sentences' : 'none'}
          spellcheck={spellcheck}
        >
          {`\n${value}`}
        </textarea>
      )}
    </Field>
  )
}

type CheckFieldProps = Common & { checked: boolean; disabled?: boolean }

export function CheckField({ label, name, hint, error, ...rest }: CheckFieldProps) {
  const attributes = attributesOf(name, hint, error)
  return (
    <div class="field check">
      <input {...attributes} {...rest} type="checkbox" value="on" />
      <label for={attributes.id}>{label}</label>
      <Messages label={label} name={name} hint={hint} error={error} />
    </div>
  )
}

type ChoiceProps = {
  name: string
  value: string
  label: Child
  checked?: boolean
  required?: boolean
  autofocus?: boolean
  children?: Child
}

/** One radio button of several, in a box. */
export function Choice({ label, children, ...input }: ChoiceProps) {
  return (
    <label class="choice">
      <span>
        <input type="radio" {...input} autocomplete="off" /> {label}
      </span>
      {children}
    </label>
  )
}

type FieldProps = Common & { above?: Child; children: (attributes: ControlAttributes) => Child }

/** Passes further props to the control. */
function Field({ label, name, hint, error, required, above, children, ...rest }: FieldProps) {
  const attributes = attributesOf(name, hint, error, required)
  const messages = <Messages {...{ label, name, hint, error }} />
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      {above}
      {above && messages}
      {children({ ...attributes, ...rest })}
      {!above && messages}
    </div>
  )
}

export function Messages({ label, name, hint, error }: Common) {
  return (
    <>
      {error && (
        <p class="error" id={`${name}-error`}>
          {(/^[A-Z]/.test(error) ? error : `${label} ${error}`).replace(/"([^"]*)"/g, '“$1”')}.
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

function attributesOf(name: string, hint: Child, error?: string, required = false): ControlAttributes {
  const ids = [error && `${name}-error`, hint && `${name}-hint`].filter(Boolean).join(' ')
  return {
    id: name,
    name,
    ...(ids && { 'aria-describedby': ids }),
    ...(required && { 'aria-required': 'true' as const }),
    // Browsers focus the first of several.
    ...(error && { 'aria-invalid': 'true' as const, autofocus: true as const }),
  }
}
