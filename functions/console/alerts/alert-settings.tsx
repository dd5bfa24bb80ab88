/** Shows the latest alerts of all sites, sets the targets and the threshold of alerts, and sends a test alert. */
import { listLatestAlerts } from '../../../src/alerts/alert.ts'
import { sendTestAlert } from '../../../src/alerts/send.ts'
import {
  type AlertSettings,
  AlertSettingsInput,
  getAlertSettings,
  updateAlertSettings,
} from '../../../src/alerts/settings.ts'
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
import { TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues, PostButton } from '../parts/fields/form.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { ErrorSummary, Notice } from '../parts/notice.tsx'
import { useRequestContext } from '../request-context.ts'
import { redirectInSite } from '../site.ts'
import { AlertList } from './alert-list.tsx'
import { ALERT_SETTINGS, TARGETS } from './targets.ts'

const ALERTS_SHOWN = 10
const SLACK = 'Slack webhook URL'

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
  const isOn = Boolean(config.hasAlerts || slackHost || settings.emailTo)
  return c.render(
    <>
      <PageHeading
        title="Alerts"
        lead="Sent when a webhook of any site keeps failing or recovers, and when a quota reaches 80% or 100%."
        action={isOn && <PostButton action={`${ALERT_SETTINGS}/tests`}>Send a test alert</PostButton>}
      />
      <Done of="alerts" />
      <RefusedTargets />
      <ErrorSummary errors={errors} />
      {!isOn && <Notice tone="warning">Alerts are off: they have no target.</Notice>}
      {config.CONSOLE_URL ? (
        <Form needs="admin" action={ALERT_SETTINGS} submit="Save alerts">
          {/* Enter presses the first button, which must not remove the URL. */}
          <button type="submit" hidden />
          <OriginalValues values={values} />
          <Section id="targets" title="Targets">
            {isOn && <TargetList slackHost={slackHost} emailTo={settings.emailTo} />}
            <TextField
              label={SLACK}
              type="url"
              {...field('slackUrl')}
              hint={`${slackHost ? 'Replaces the one above. ' : ''}An incoming webhook of Slack, Mattermost or another service that accepts its messages.`}
            />
            {canMail(ctx) && (
              <TextField
                label="Recipients"
                {...field('emailTo')}
                hint="Email addresses, separated by commas."
              />
            )}
          </Section>
          <TextField
            label="Failures in a row before an alert"
            {...field('afterFailures')}
            hint={`${config.ALERT_AFTER_FAILURES} if empty.`}
          />
        </Form>
      ) : (
        <Notice tone="warning">
          Set the variable CONSOLE_URL first, because alerts link to the console.
        </Notice>
      )}
      {(latest.length > 0 || isOn) && (
        <Section id="latest" title="Latest alerts">
          <AlertList alerts={latest} />
        </Section>
      )}
    </>,
    { workspace: 'Alerts', isNarrow: true },
  )
}

function TargetList({ slackHost, emailTo }: Pick<AlertSettings, 'slackHost' | 'emailTo'>) {
  const { config } = useRequestContext().get('ctx')
  const { ALERT_SLACK_URL, ALERT_EMAIL_TO, ALERT_WEBHOOK_URL } = config
  return (
    <Facts boxed>
      {slackHost ? (
        <div class="copyable">
          <dt>{TARGETS.slack}</dt>
          <dd>
            <code>{slackHost}/…</code>
            <button type="submit" class="button small" name="removeSlack" value="on">
              Remove
            </button>
          </dd>
        </div>
      ) : (
        <Fact label={TARGETS.slack}>
          {ALERT_SLACK_URL && (
            <>
              from <code>ALERT_SLACK_URL</code>
            </>
          )}
        </Fact>
      )}
      <Fact label={TARGETS.email}>{(emailTo ?? ALERT_EMAIL_TO)?.join(', ')}</Fact>
      <Fact label={TARGETS.webhook}>
        {ALERT_WEBHOOK_URL && (
          <>
            {webhookHost(ALERT_WEBHOOK_URL)}, from <code>ALERT_WEBHOOK_URL</code>
          </>
        )}
      </Fact>
    </Facts>
  )
}

function RefusedTargets() {
  const refused = useRequestContext().req.query('refused')
  return refused ? <Notice tone="danger">Not sent to {refused}.</Notice> : null
}
