/**
 * A form that was posted and could not be done: when its session had ended, or the database was away. It is kept in the page
 * that says so, with what was typed, and posted once more from there, without a script and without a store.
 */
import { AppError } from '../../../src/core/errors.ts'
import type { Http } from '../../http/env.ts'
import { Fact, Facts } from '../parts/facts.tsx'
import { labelOf } from '../parts/fields/field-labels.ts'
import { Form } from '../parts/fields/form.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { MAX_FORM_BYTES, readTexts, type Texts } from './form.ts'
import { OPENED } from './opened.ts'

/** Starts the names of the fields that the sign-in form keeps. */
const PREFIX = 'kept.'
/** Leaves room for the headers of the parts of the form that posts it again. */
const MAX_KEPT_BYTES = MAX_FORM_BYTES - 512 * 1024
/** Never written into a page. */
const SECRETS = ['secret', 'password', 'token']
/** Fields that nobody types in. */
const HIDDEN = ['id', 'new', 'post', 'act', 'confirmed', OPENED]

/** A box of that name, such as that which asks for a token, has no secret. */
const isSecret = (name: string, value: string) => SECRETS.includes(name) && value !== 'on'

/** The posted form; null if it is too large, or no form. */
export async function formToKeep(c: Http): Promise<Texts | null> {
  const form = await readTexts(c)
  if (!form || isTooLarge(form)) return null
  return form.filter(([name, value]) => !isSecret(name, value))
}

/** Reads the form that the sign-in form of this request has kept. @throws AppError body_too_large for more than it was given */
export async function keptForm(c: Http): Promise<Texts> {
  const form = ((await readTexts(c)) ?? []).flatMap(
    ([name, value]): Texts => (name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : []),
  )
  if (isTooLarge(form)) throw new AppError('body_too_large')
  return form
}

const ESCAPED = new Set(new TextEncoder().encode('&<>"\''))
const ESCAPE = '&quot;'.length

/** In a page, where what is escaped takes six times its length. */
function isTooLarge(form: Texts): boolean {
  let written = 0
  for (const byte of new TextEncoder().encode(form.flat().join(''))) written += ESCAPED.has(byte) ? ESCAPE : 1
  return written > MAX_KEPT_BYTES
}

/** The fields of the sign-in form that keep it. */
export const toKept = (form: Texts) => form.map(([name, value]): [string, string] => [PREFIX + name, value])

/** True if somebody has typed or chosen something. The page of a form that only confirms is opened again instead. */
export const hasInput = (form: Texts) => inputOf(form).length > 0

const inputOf = (form: Texts) => form.filter(([name, value]) => value !== '' && !HIDDEN.includes(name))

type PostedForm = {
  /** Where the form is posted to. */
  action: string
  /** The page that has it. */
  from: string
  form: Texts
}

/** Asks before the form is posted: time has passed, and whoever has signed in may be another. */
export function continuePage(c: Http, posted: PostedForm) {
  return c.render(
    <>
      <PageHeading
        title="Continue with your form"
        lead="You are signed in again. This is what you sent. Nothing has been done with it yet."
      />
      <FormToSend {...posted} submit="Continue" />
    </>,
    { title: 'Continue with your form', bare: 'wide' },
  )
}

/** The typed values, and the button that posts them once more. */
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
            <div class="lines typed" dir="auto" tabindex={isLong(values) ? 0 : undefined}>
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

/** It may scroll, which a keyboard must reach. */
const isLong = (values: Texts) => values.flat().join('').length > 1_000
