import type { MailKind } from '../../server/features/messaging/index.ts'
import { login, mfaVerify } from '../../shared/api/auth.ts'
import { sendTestMail, sendTestSms, updateMailSettings, updateSmsSettings } from '../../shared/api/messaging.ts'
import { phoneConfirm, phoneVerify, smsEnable, smsSend, stepUp, stepUpSms } from '../../shared/api/mfa.ts'
import { changePassword, checkResetLink, forgotPassword, resetPassword } from '../../shared/api/passwords.ts'
import { updateMe } from '../../shared/api/profile.ts'
import { registerPartner, verifyEmail } from '../../shared/api/registration.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { mailOf, tokenIn } from '../helpers/mail.ts'
import type { smsGateway } from '../helpers/sms-gateway.ts'
import type { RecordedAnswers } from './recorded-answers.ts'

type Gateway = Awaited<ReturnType<typeof smsGateway>>

const email = 'bea@umbrella.test'
const phoneNumber = '+491701234567'
const first = 'Marmalade-Tractor-77'
const second = 'Thunder-Pillow-Canyon-31'

/** Somebody registers, takes their phone for a second factor, forgets their password and moves to another address. */
export async function signInCalls(recorded: RecordedAnswers, gateway: Gateway): Promise<void> {
  recorded.forbid(first, second)
  const token = await registration(recorded)
  await phone(recorded, gateway, token)
  await forgottenPassword(recorded)
  await otherAddress(recorded, gateway)
}

/** The token of the one mail of this kind; a mistyped one gets no hint. */
async function linkToken(
  recorded: RecordedAnswers,
  kind: MailKind,
  endpoint: Endpoint,
  more: object = {},
): Promise<string> {
  const token = tokenIn(await mailOf(recorded.app, kind))
  recorded.forbid(token)
  await recorded.call(endpoint, { body: { token: `${token}x`, ...more } })
  return token
}

async function registration(recorded: RecordedAnswers): Promise<string> {
  const asked = { companyName: 'Umbrella', name: 'Bea', email, password: first, acceptTerms: true }
  await recorded.call(registerPartner, { body: asked })
  const body = { token: await linkToken(recorded, 'verify-registration', verifyEmail) }
  const verified = (await recorded.call(verifyEmail, { body })).body
  recorded.allow(verifyEmail, verified.tokens.accessToken)
  await recorded.call(verifyEmail, { body })
  return verified.tokens.accessToken
}

async function phone(recorded: RecordedAnswers, gateway: Gateway, token: string): Promise<void> {
  const code = () => {
    const sent = gateway.codeTo(phoneNumber)
    recorded.forbid(sent)
    return sent
  }
  await recorded.call(phoneVerify, { body: { phoneNumber, currentPassword: first }, token })
  await recorded.call(phoneConfirm, { body: { phoneNumber, code: code(), currentPassword: `${first}x` }, token })
  await recorded.call(phoneConfirm, { body: { phoneNumber, code: code() }, token })
  const enabled = (await recorded.call(smsEnable, { body: { currentPassword: first }, token })).body
  recorded.allow(smsEnable, enabled.tokens.accessToken, ...enabled.recoveryCodes)
  await recorded.call(stepUpSms, { token: enabled.tokens.accessToken })
  const proof = { method: 'sms', code: code(), operation: 'change_email' }
  const granted = (await recorded.call(stepUp, { body: proof, token: enabled.tokens.accessToken })).body
  recorded.allow(stepUp, granted.tokens.accessToken, granted.stepUpGrantId)
  await recorded.call(stepUp, { body: proof, token: granted.tokens.accessToken })
  const guess = { currentPassword: first, newPassword: 'Umbrella1' }
  await recorded.call(changePassword, { body: guess, token: granted.tokens.accessToken })
}

async function forgottenPassword(recorded: RecordedAnswers): Promise<void> {
  await recorded.call(forgotPassword, { body: { email } })
  const token = await linkToken(recorded, 'password-reset', resetPassword, { password: second })
  await recorded.call(checkResetLink, { body: { token } })
  await recorded.call(resetPassword, { body: { token, password: 'short' } })
  const { status } = await recorded.call(resetPassword, { body: { token, password: second } })
  if (status !== 200) throw new Error(`the link to another password does not work: ${status}`)
}

async function otherAddress(recorded: RecordedAnswers, gateway: Gateway): Promise<void> {
  const { tempToken } = (await recorded.call(login, { body: { email, password: second } })).body
  recorded.allow(login, tempToken)
  await recorded.call(smsSend, { body: { tempToken } })
  const code = gateway.codeTo(phoneNumber)
  recorded.forbid(code)
  const token: string = (await recorded.call(mfaVerify, { body: { tempToken, code } })).body.tokens.accessToken
  recorded.allow(mfaVerify, token)
  await recorded.call(updateMe, { body: { email: 'bea@home.test', currentPassword: second }, token })
  const link = await linkToken(recorded, 'verify-email-change', verifyEmail)
  const { status } = await recorded.call(verifyEmail, { body: { token: link } })
  if (status !== 200) throw new Error(`the link to another address does not work: ${status}`)
}

/** The administrator tells the appliance how mail and text messages leave it; `nobody` listens at a port. */
export async function administratorCalls(
  recorded: RecordedAnswers,
  token: string,
  ports: { mail: number; nobody: number },
): Promise<void> {
  const told = { smtp: 'smtp-Passage-5512', twilio: 'twilio-Token-90210', header: 'gateway-Header-31337' }
  recorded.forbid(...Object.values(told))
  const say = async (endpoint: Endpoint, body: object, wanted: number) => {
    const { status, text } = await recorded.call(endpoint, { body, token })
    if (status !== wanted) throw new Error(`${endpoint.name}: ${status} ${text}`)
  }
  const host = { host: '127.0.0.1', verifyCertificate: false, user: 'box', from: 'box@homeport.test' }
  await say(updateMailSettings, { smtp: { ...host, port: ports.mail, password: told.smtp } }, 200)
  await say(sendTestMail, { to: email }, 502)
  await say(updateMailSettings, { smtp: { ...host, port: ports.nobody, password: told.smtp } }, 200)
  await say(sendTestMail, { to: email, smtp: { ...host, port: ports.nobody } }, 502)
  const twilio = { provider: 'twilio', accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006' }
  await say(updateSmsSettings, { ...twilio, authToken: told.twilio }, 200)
  await say(updateSmsSettings, { ...twilio, accountSid: 'nonsense', authToken: told.twilio }, 400)
  const url = `https://127.0.0.1:${ports.nobody}/send`
  const gateway = { provider: 'gateway', url, format: 'json', headerName: 'X-Key', headerValue: told.header }
  await say(updateSmsSettings, { ...gateway, template: '{}' }, 400)
  await say(updateSmsSettings, { ...gateway, template: '{"to":"{{to}}","text":"{{text}}"}' }, 200)
  await say(sendTestSms, { to: phoneNumber }, 502)
  const settings = { ...gateway, headerValue: undefined, template: '["{{to}}","{{text}}"]' }
  await say(sendTestSms, { to: phoneNumber, settings }, 502)
}
