/** Shows the latest alerts of all sites, sets the targets and the threshold of alerts, and sends a test alert. */
import { listLatestAlerts } from '../../../src/alerts/alert.ts'
import { sendTestAlert } from '../../../src/alerts/send.ts'
import {
  type AlertSettings,
  AlertSettingsInput,
  getAlertSettings,
  updateAlertSettings,
} from '../../../src/alerts/settings.ts'
import type { Config } from '../../../src/core/config.ts'
import { canMail } from '../../../src/people/sign-in-links.ts'
import { webhookHost } from '../../../src/webhooks/endpoint.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { Done, redirectDone } from '../actions/done.tsx'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submitFields } from '../forms/form.ts'
import { changedOnly, saveMerged, type Values } from '../forms/three-way-merge.ts'
import { addQuery } from '../parent-list.ts'
import { Fact, Facts } from '../parts/facts.tsx'
import { CheckField, TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues, PostButton } from '../parts/fields/form.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { ErrorSummary, Notice } from '../parts/notice.tsx'
import { useRequestContext } from '../request-context.ts'
import { redirectInSite } from '../site.ts'
import { AlertList } from './alert-list.tsx'
import { ALERT_SETTINGS, TARGETS } from './targets.ts'

const ALERTS_SHOWN = 10

export const alertSettings = createApp()

alertSettings.get('/', async (c) => {
  const settings = await getAlertSettings(c.get('ctx'))
  return settingsPage(c, settings, toValues(settings), {})
})

alertSettings.post('/', async (c) => {
  const ctx = c.get('ctx')
  const values = await readForm(c)
  const read = () => getAlertSettings(ctx)
  const known = await read()
  const changes = { ...changedOnly(values, toInput(values)), ...(values.removeSlack && { slackUrl: null }) }
  const { errors, conflicts } = await saveMerged({
    values,
    known,
    read,
    toValues,
    write: (current) =>
      submitFields(AlertSettingsInput, changes, (input) => updateAlertSettings(ctx, input, current)),
  })
  if (conflicts) {
    return conflictPage(c, { workspace: 'Alerts' }, { conflicts, values, cancel: ALERT_SETTINGS })
  }
  if (!errors) return redirectDone(c, ALERT_SETTINGS, 'alerts', 'saved')
  c.status(400)
  return settingsPage(c, known, values, errors)
})

alertSettings.post('/tests', async (c) => {
  const sent = await sendTestAlert(c.get('ctx'))
  const refused = sent.flatMap(({ target, status, error }) =>
    error === null ? [] : [`${TARGETS[target]} (${status ?? error})`],
  )
  const done = sent.length > refused.length ? 'tested' : null
  return redirectInSite(c, addQuery(ALERT_SETTINGS, { done, refused: refused.join(', ') || null }))
})

/** The Slack URL is a secret that is never shown again. */
function toValues({ emailTo, afterFailures }: AlertSettings): Values {
  return {
    slackUrl: '',
    emailTo: emailTo?.join(', ') ?? '',
    afterFailures: afterFailures === null ? '' : String(afterFailures),
  }
}

function toInput({ slackUrl = '', emailTo = '', afterFailures = '' }: Values) {
  const count = afterFailures.trim()
  return {
    slackUrl: slackUrl.trim() || undefined,
    emailTo: emailTo.trim() ? emailTo.split(',').map((address) => address.trim()) : null,
    afterFailures: count === '' ? null : /^-?\d{1,9}$/.test(count) ? Number(count) : count,
  }
}

async function settingsPage(c: Http, settings: AlertSettings, values: Values, errors: Errors) {
  const ctx = c.get('ctx')
  const { config } = ctx
  const latest = await listLatestAlerts(ctx, ALERTS_SHOWN)
  const field = fieldsOf(values, errors)
  const { slackHost } = settings
  const targets = targetsOf(config, settings)
  return c.render(
    <>
      <PageHeading
        title="Alerts"
        lead="Sent when a webhook of any site keeps failing or recovers, and when a quota reaches 80% or 100%."
        action={
          targets.length > 0 && <PostButton action={`${ALERT_SETTINGS}/tests`}>Send a test alert</PostButton>
        }
      />
      <Done of="alerts" />
      <RefusedTargets />
      <ErrorSummary errors={errors} />
      {targets.length > 0 ? (
        <Facts boxed>
          {targets.map(({ name, to }) => (
            <Fact label={name}>{to}</Fact>
          ))}
        </Facts>
      ) : (
        <Notice tone="warning">Alerts are off: they have no target.</Notice>
      )}
      {config.CONSOLE_URL ? (
        <Form needs="admin" action={ALERT_SETTINGS} submit="Save alerts">
          <OriginalValues values={values} />
          <TextField
            label="Slack URL"
            type="url"
            {...field('slackUrl')}
            placeholder={slackHost ? `https://${slackHost}/…` : config.ALERT_SLACK_URL && 'ALERT_SLACK_URL'}
            hint={
              slackHost
                ? 'Leave empty to keep the URL.'
                : 'An incoming webhook of Slack, Mattermost or another service that accepts its messages.'
            }
          />
          {slackHost && (
            <CheckField
              label="Remove the Slack URL"
              name="removeSlack"
              checked={values.removeSlack === 'on'}
            />
          )}
          {canMail(c.get('ctx')) && (
            <TextField
              label="Recipients"
              {...field('emailTo')}
              placeholder={config.ALERT_EMAIL_TO?.join(', ')}
              hint="Email addresses, separated by commas."
            />
          )}
          <TextField
            label="Failures in a row"
            {...field('afterFailures')}
            placeholder={String(config.ALERT_AFTER_FAILURES)}
            hint="How many deliveries of a webhook fail before an alert."
          />
        </Form>
      ) : (
        <Notice tone="warning">
          Set the variable CONSOLE_URL first, because alerts link to the console.
        </Notice>
      )}
      {(latest.length > 0 || targets.length > 0) && (
        <Section id="latest" title="Latest alerts">
          <AlertList alerts={latest} />
        </Section>
      )}
    </>,
    { workspace: 'Alerts' },
  )
}

/** The targets in use. The console's replace those of the environment. */
function targetsOf(
  { ALERT_SLACK_URL, ALERT_EMAIL_TO, ALERT_WEBHOOK_URL }: Config,
  { slackHost, emailTo }: AlertSettings,
) {
  return [
    { name: TARGETS.slack, to: slackHost ?? (ALERT_SLACK_URL && new URL(ALERT_SLACK_URL).host) },
    { name: TARGETS.email, to: (emailTo ?? ALERT_EMAIL_TO)?.join(', ') },
    { name: TARGETS.webhook, to: ALERT_WEBHOOK_URL && webhookHost(ALERT_WEBHOOK_URL) },
  ].filter(({ to }) => to)
}

function RefusedTargets() {
  const refused = useRequestContext().req.query('refused')
  return refused ? <Notice tone="danger">Not sent to {refused}.</Notice> : null
}
