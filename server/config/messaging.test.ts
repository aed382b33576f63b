import { expect, test } from 'vitest'
import { compileTemplate } from './gateway-template.ts'
import { readMail, readSms } from './messaging.ts'

const gateway = {
  SMS_PROVIDER: 'gateway',
  SMS_GATEWAY_URL: 'https://sms.test/send',
  SMS_GATEWAY_TEMPLATE: '["{{to}}","{{text}}"]',
}
const twilio = { SMS_PROVIDER: 'twilio', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't', TWILIO_FROM: '+15550001' }
const smtp = { SMTP_HOST: 'mail.test', SMTP_FROM: 'Box <box@acme.test>' }

test('nothing set means nothing is sent', () => {
  expect(readMail({})).toBeNull()
  expect(readMail({ ...smtp, EMAIL_PROVIDER: 'none' })).toBeNull()
  expect(readSms({})).toBeNull()
})

test('a mail server', () => {
  expect(readMail(smtp)).toEqual({
    provider: 'smtp',
    host: 'mail.test',
    port: 587,
    secure: false,
    verifyCertificate: true,
    user: null,
    password: null,
    from: 'Box <box@acme.test>',
  })
  expect(
    readMail({
      ...smtp,
      SMTP_PORT: '465',
      SMTP_SECURE: 'yes',
      SMTP_VERIFY_CERTIFICATE: 'no',
      SMTP_USER: 'u',
      SMTP_PASS: 'p',
    }),
  ).toMatchObject({ port: 465, secure: true, verifyCertificate: false, user: 'u', password: 'p' })
  expect(readMail({ SMTP_HOST: 'mail.test', EMAIL_FROM: 'box@acme.test' })).toMatchObject({ from: 'box@acme.test' })
})

test('mail into files', () => {
  expect(readMail({ EMAIL_PROVIDER: 'file' })).toEqual({ provider: 'file', from: 'Homeport <homeport@localhost>' })
  expect(readMail({ EMAIL_PROVIDER: 'file', EMAIL_FROM: 'a@b.test' })).toMatchObject({ from: 'a@b.test' })
})

test('providers of text messages', () => {
  expect(readSms(twilio)).toMatchObject({ provider: 'twilio', apiUrl: 'https://api.twilio.com' })
  expect(readSms(gateway)).toMatchObject({ provider: 'gateway', format: 'json', header: null })
  expect(readSms({ ...gateway, SMS_GATEWAY_HEADER_NAME: 'X-Key', SMS_GATEWAY_HEADER_VALUE: 'v' })).toMatchObject({
    header: { name: 'X-Key', value: 'v' },
  })
})

test.each<[variable: string, env: Record<string, string>]>([
  ['SMTP_HOST', { EMAIL_PROVIDER: 'smtp' }],
  ['SMTP_FROM', { SMTP_HOST: 'mail.test' }],
  ['SMTP_FROM', { SMTP_HOST: 'mail.test', SMTP_FROM: 'nobody' }],
  ['EMAIL_FROM', { SMTP_HOST: 'mail.test', EMAIL_FROM: 'a@b.test\nBcc: c@d.test' }],
  ['SMTP_PASS', { ...smtp, SMTP_USER: 'u' }],
  ['EMAIL_PROVIDER', { EMAIL_PROVIDER: 'pigeon' }],
])('a bad %s is refused by name (%j)', (variable, env) => {
  expect(() => readMail(env)).toThrow(variable)
})

test.each<[variable: string, env: Record<string, string>]>([
  ['TWILIO_AUTH_TOKEN', { ...twilio, TWILIO_AUTH_TOKEN: '' }],
  ['TWILIO_API_URL', { ...twilio, TWILIO_API_URL: 'http://twilio.test' }],
  ['SMS_GATEWAY_URL', { ...gateway, SMS_GATEWAY_URL: 'http://sms.test/send' }],
  ['SMS_GATEWAY_URL', { ...gateway, SMS_GATEWAY_URL: 'sms.test' }],
  ['SMS_GATEWAY_TEMPLATE', { ...gateway, SMS_GATEWAY_TEMPLATE: '{"to":"{{to}}"}' }],
  ['SMS_GATEWAY_TEMPLATE', { ...gateway, SMS_GATEWAY_TEMPLATE: 'to={{to}}' }],
  ['SMS_GATEWAY_HEADER_VALUE', { ...gateway, SMS_GATEWAY_HEADER_NAME: 'X-Key' }],
])('a bad %s is refused by name (%j)', (variable, env) => {
  expect(() => readSms(env)).toThrow(variable)
})

test('a stand-in for a provider on this machine may do without TLS', () => {
  expect(readSms({ ...twilio, TWILIO_API_URL: 'http://127.0.0.1:9' })).toMatchObject({ apiUrl: 'http://127.0.0.1:9' })
})

test.each<['json' | 'form', string, string]>([
  ['json', '{"to":"{{to}}"}', 'must contain {{text}} in a value'],
  ['json', '{"text":"{{text}}","{{to}}":1}', 'must contain {{to}} in a value'],
  ['json', '{"to":{{to}},"text":"{{text}}"}', 'must be valid JSON'],
  ['json', 'to={{to}}&text={{text}}', 'must be valid JSON'],
  ['form', 'to={{to}}', 'must contain {{text}} in a value'],
  ['form', '{{to}}={{text}}', 'must contain {{to}} in a value'],
])('a %s template %s is refused: %s', (format, template, problem) => {
  expect(() => compileTemplate(format, template)).toThrow(problem)
})
