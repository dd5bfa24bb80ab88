/**
 * Keeps a posted form that failed because the session had ended or the database was down. The error page carries the typed values and
 * posts them again, without a script or server state.
 */
import { AppError } from '../../../src/core/errors.ts'
import type { Http } from '../../http/env.ts'
import { Fact, Facts } from '../parts/facts.tsx'
import { labelOf } from '../parts/fields/field-labels.ts'
import { Form } from '../parts/fields/form.tsx'
import { PageHeading } from '../parts/page.tsx'
import { type FormEntries, MAX_FORM_BYTES, readFormEntries } from './form.ts'
import { ORIGINAL_VALUES } from './three-way-merge.ts'

/** Prefix of the kept fields in the sign-in form. */
const PREFIX = 'kept.'
/** Leaves room for the part headers when the form is posted again. */
const MAX_PRESERVED_BYTES = MAX_FORM_BYTES - 512 * 1024
/** Fields whose values never go into a page. */
const SECRETS = ['secret', 'password', 'token', 'slackUrl']
const HIDDEN = ['id', 'new', 'post', 'undo', 'confirmed']

/** A checkbox of that name holds no secret. */
const isSecret = (name: string, value: string) => SECRETS.includes(name) && value !== 'on'

/** @returns null if the form is too large, or the body is not a form */
export async function captureForm(c: Http): Promise<FormEntries | null> {
  const form = await readFormEntries(c)
  if (!form || isTooLarge(form)) return null
  return form.filter(([name, value]) => !isSecret(name, value))
}

/** The form that the posted sign-in form carries. @throws AppError body_too_large */
export async function readPreservedForm(c: Http): Promise<FormEntries> {
  const form = ((await readFormEntries(c)) ?? []).flatMap(
    ([name, value]): FormEntries => (name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : []),
  )
  if (isTooLarge(form)) throw new AppError('body_too_large')
  return form
}

const ESCAPED = new Set(new TextEncoder().encode('&<>"\''))
const ESCAPE = '&quot;'.length

/** Measures the form as HTML, where an escaped character takes six bytes. */
function isTooLarge(form: FormEntries): boolean {
  let written = 0
  for (const byte of new TextEncoder().encode(form.flat().join(''))) written += ESCAPED.has(byte) ? ESCAPE : 1
  return written > MAX_PRESERVED_BYTES
}

export const toPreservedFields = (form: FormEntries) =>
  form.map(([name, value]): [string, string] => [PREFIX + name, value])

/** A form without input, such as a confirmation, is opened again instead of kept. */
export const hasInput = (form: FormEntries) => inputOf(form).length > 0

const inputOf = (form: FormEntries) =>
  form.filter(([name, value]) => value !== '' && !HIDDEN.includes(name) && !name.startsWith(ORIGINAL_VALUES))

type PostedForm = {
  action: string
  /** The page that has the form. */
  from: string
  form: FormEntries
}

/** Asks before posting the form: time has passed, and another person may have signed in. */
export function continuePage(c: Http, posted: PostedForm) {
  return c.render(
    <>
      <PageHeading
        title="Continue with your form"
        lead="You are signed in again. Your form has not been submitted yet."
      />
      <FormToSend {...posted} submit="Continue" />
    </>,
    { title: 'Continue with your form', bare: 'wide' },
  )
}

export function FormToSend({ action, from, form, submit }: PostedForm & { submit: string }) {
  const typed = Map.groupBy(inputOf(form), ([name]) => name)
  return (
    <>
      <Facts>
        <Fact label="Form on">
          <a href={from}>{from}</a>
        </Fact>
        {[...typed].map(([name, values]) => (
          <Fact label={labelOf(name)}>
            <div class="lines" dir="auto" tabindex={isLong(values) ? 0 : undefined}>
              {values.map(([, value]) => (value === 'on' ? 'Yes' : value)).join('\n')}
            </div>
          </Fact>
        ))}
      </Facts>
      <Form
        action={action}
        enctype="multipart/form-data"
        hidden={form}
        submit={submit}
        cancel={from}
        cancelText="Discard"
      />
    </>
  )
}

/** Long values scroll, so they need keyboard focus. */
const isLong = (values: FormEntries) => values.flat().join('').length > 1_000
