import { expect, test } from 'vitest'
import { ssoErrorCodes } from '../../../../shared/sso-codes.ts'
import { signInNotice } from './sso-error-messages.ts'

const unknown = ['', 'constructor', '__proto__', '<b>Call 555-0100</b>']

test('each SSO error code has a message of its own, and any other text the generic one', () => {
  const generic = signInNotice('unknown')
  for (const code of ssoErrorCodes) expect(signInNotice(code)).not.toBe(generic)
  for (const text of unknown) expect(signInNotice(text)).toBe(generic)
})
