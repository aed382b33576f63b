export const messagingErrors = {
  mail_not_configured: { status: 400, error: 'No mail server is configured' },
  sms_not_configured: { status: 400, error: 'No text message provider is configured' },
  set_by_environment: { status: 400, error: 'This is set by the environment of the appliance' },
  mail_not_found: { status: 404, error: 'Mail not found' },
  sms_unavailable: { status: 501, error: 'Text messages are not set up on this appliance' },
  mail_failed: { status: 502, error: 'The mail server did not take the message' },
  sms_failed: { status: 502, error: 'The text message provider did not take the message' },
} as const
