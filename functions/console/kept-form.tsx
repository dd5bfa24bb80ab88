/**
 * A form that was posted when its session had ended: the sign-in page keeps it, and whoever has signed in can go on with it,
 * without a script and without a store.
 */
import type { Http } from '../http/env.ts'
import { readTexts, type Texts } from './form.ts'
import { OPENED } from './opened.ts'
import { Fact, Facts } from './parts/facts.tsx'
import { labelOf } from './parts/field-labels.ts'
import { PageHeading } from './parts/heading.tsx'

/** Starts the names of the fields that the sign-in form keeps. */
const PREFIX = 'kept.'
/** The sign-in form has room for it. In UTF-16 units. */
const MAX_KEPT_LENGTH = 16 * 1024
/** Never written into a page. */
const SECRETS = ['secret']
/** Of the form itself: nothing that somebody has typed. */
const HIDDEN = ['id', 'new', 'post', OPENED]
const MAX_SHOWN_LENGTH = 300

/** What was posted; null if it is too large, or no form. */
export async function formToKeep(c: Http): Promise<Texts | null> {
  const form = await readTexts(c)
  const size = (form ?? []).flat().join('').length
  return form && size <= MAX_KEPT_LENGTH ? form.filter(([name]) => !SECRETS.includes(name)) : null
}

/** What the sign-in form of this request has kept. */
export async function keptForm(c: Http): Promise<Texts> {
  const form = (await readTexts(c)) ?? []
  return form.flatMap(([name, value]) =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [],
  )
}

export function KeptFields({ form }: { form: Texts }) {
  return <Hidden form={form.map(([name, value]) => [PREFIX + name, value])} />
}

function Hidden({ form }: { form: Texts }) {
  return (
    <>
      {form.map(([name, value]) => (
        <input type="hidden" name={name} value={value} autocomplete="off" />
      ))}
    </>
  )
}

/** Whether somebody has typed or chosen anything in it. The page of one that only confirms is opened again instead. */
export const hasInput = (form: Texts) => inputOf(form).length > 0

const inputOf = (form: Texts) => form.filter(([name, value]) => value !== '' && !HIDDEN.includes(name))

type GoOn = {
  /** Where the form is posted to. */
  action: string
  /** The page that has it. */
  from: string
  form: Texts
}

/** Asks before the form is posted: time has passed, and whoever has signed in may be another. */
export function goOnPage(c: Http, goOn: GoOn) {
  return c.render(
    <>
      <PageHeading
        title="Continue with your form"
        lead="You are signed in again. This is what you sent. Nothing has been done with it yet."
      />
      <FormToSend {...goOn} submit="Continue" />
    </>,
    { title: 'Continue with your form', bare: true },
  )
}

/** What was typed, and the button that posts it once more. */
export function FormToSend({ action, from, form, submit }: GoOn & { submit: string }) {
  return (
    <>
      <Facts boxed>
        <Fact label="Of the page">
          <a href={from}>{from}</a>
        </Fact>
        {inputOf(form).map(([name, value]) => (
          <Fact label={labelOf(name)}>{shorten(value)}</Fact>
        ))}
      </Facts>
      <form method="post" action={action} class="fields">
        <Hidden form={form} />
        <div class="actions">
          <button type="submit" class="button primary">
            {submit}
          </button>
          <a class="button" href={from}>
            Discard
          </a>
        </div>
      </form>
    </>
  )
}

function shorten(value: string): string {
  return value.length > MAX_SHOWN_LENGTH ? `${value.slice(0, MAX_SHOWN_LENGTH)}…` : value
}
