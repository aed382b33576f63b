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
import type { Diary } from './diary.ts'

type Gateway = Awaited<ReturnType<typeof smsGateway>>

const email = 'bea@umbrella.test'
const phoneNumber = '+491701234567'
const first = 'Marmalade-Tractor-77'
const second = 'Thunder-Pillow-Canyon-31'

/** Somebody registers, takes their phone for a second factor, forgets their password and moves to another address. */
export async function atTheDoor(diary: Diary, gateway: Gateway): Promise<void> {
  diary.keep(first, second)
  const token = await registration(diary)
  await phone(diary, gateway, token)
  await forgottenPassword(diary)
  await otherAddress(diary, gateway)
}

/** The token of the one mail of this kind; whoever mistypes it gets no hint. */
async function linkToken(diary: Diary, kind: MailKind, endpoint: Endpoint, more: object = {}): Promise<string> {
  const token = tokenIn(await mailOf(diary.app, kind))
  diary.keep(token)
  await diary.call(endpoint, { body: { token: `${token}x`, ...more } })
  return token
}

async function registration(diary: Diary): Promise<string> {
  const asked = { companyName: 'Umbrella', name: 'Bea', email, password: first, acceptTerms: true }
  await diary.call(registerPartner, { body: asked })
  const body = { token: await linkToken(diary, 'verify-registration', verifyEmail) }
  const verified = (await diary.call(verifyEmail, { body })).body
  diary.told(verifyEmail, verified.tokens.accessToken)
  await diary.call(verifyEmail, { body })
  return verified.tokens.accessToken
}

async function phone(diary: Diary, gateway: Gateway, token: string): Promise<void> {
  const code = () => {
    const sent = gateway.codeTo(phoneNumber)
    diary.keep(sent)
    return sent
  }
  await diary.call(phoneVerify, { body: { phoneNumber, currentPassword: first }, token })
  await diary.call(phoneConfirm, { body: { phoneNumber, code: code(), currentPassword: `${first}x` }, token })
  await diary.call(phoneConfirm, { body: { phoneNumber, code: code() }, token })
  const enabled = (await diary.call(smsEnable, { body: { currentPassword: first }, token })).body
  diary.told(smsEnable, enabled.tokens.accessToken, ...enabled.recoveryCodes)
  await diary.call(stepUpSms, { token: enabled.tokens.accessToken })
  const proof = { method: 'sms', code: code(), operation: 'change_email' }
  const granted = (await diary.call(stepUp, { body: proof, token: enabled.tokens.accessToken })).body
  diary.told(stepUp, granted.tokens.accessToken, granted.stepUpGrantId)
  await diary.call(stepUp, { body: proof, token: granted.tokens.accessToken })
  const guess = { currentPassword: first, newPassword: 'Umbrella1' }
  await diary.call(changePassword, { body: guess, token: granted.tokens.accessToken })
}

async function forgottenPassword(diary: Diary): Promise<void> {
  await diary.call(forgotPassword, { body: { email } })
  const token = await linkToken(diary, 'password-reset', resetPassword, { password: second })
  await diary.call(checkResetLink, { body: { token } })
  await diary.call(resetPassword, { body: { token, password: 'short' } })
  const { status } = await diary.call(resetPassword, { body: { token, password: second } })
  if (status !== 200) throw new Error(`the link to another password does not work: ${status}`)
}

async function otherAddress(diary: Diary, gateway: Gateway): Promise<void> {
  const { tempToken } = (await diary.call(login, { body: { email, password: second } })).body
  diary.told(login, tempToken)
  await diary.call(smsSend, { body: { tempToken } })
  const code = gateway.codeTo(phoneNumber)
  diary.keep(code)
  const token: string = (await diary.call(mfaVerify, { body: { tempToken, code } })).body.tokens.accessToken
  diary.told(mfaVerify, token)
  await diary.call(updateMe, { body: { email: 'bea@home.test', currentPassword: second }, token })
  const link = await linkToken(diary, 'verify-email-change', verifyEmail)
  const { status } = await diary.call(verifyEmail, { body: { token: link } })
  if (status !== 200) throw new Error(`the link to another address does not work: ${status}`)
}

/** The administrator tells the appliance how mail and text messages leave it; `nobody` listens at a port. */
export async function atTheDesk(diary: Diary, token: string, ports: { mail: number; nobody: number }): Promise<void> {
  const told = { smtp: 'smtp-Passage-5512', twilio: 'twilio-Token-90210', header: 'gateway-Header-31337' }
  diary.keep(...Object.values(told))
  const say = async (endpoint: Endpoint, body: object, wanted: number) => {
    const { status, text } = await diary.call(endpoint, { body, token })
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
