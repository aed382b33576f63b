import type { Refusals } from './refusals.ts'

export const messagingErrors = {
  mail_not_configured: {
    status: 400,
    error: 'No mail server is configured',
    onScreen: 'This appliance doesn’t send email. Ask your administrator.',
  },
  sms_not_configured: {
    status: 400,
    error: 'No text message provider is configured',
    onScreen: 'This appliance doesn’t send text messages.',
  },
  set_by_environment: { status: 400, error: 'This is set by the environment of the appliance', onScreen: null },
  mail_not_found: { status: 404, error: 'Mail not found', onScreen: null },
  sms_unavailable: {
    status: 501,
    error: 'Text messages are not set up on this appliance',
    onScreen: 'This appliance doesn’t send text messages.',
  },
  mail_failed: {
    status: 502,
    error: 'The mail server did not accept the message',
    onScreen: 'The mail server didn’t accept the message.',
  },
  sms_failed: {
    status: 502,
    error: 'The text message provider did not accept the message',
    onScreen: 'The text message couldn’t be sent. Try again, or use another method.',
  },
} as const satisfies Refusals
