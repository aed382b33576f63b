import { expect, test } from 'vitest'
import { ssoLinkErrorCodes } from '../../../shared/sso-codes.ts'
import { linkNotice } from './sso-link-messages.ts'

const unknown = ['', 'constructor', '__proto__', '<b>Call 555-0100</b>']

test('each error code of linking an account has a message of its own, and any other text the generic one', () => {
  const generic = linkNotice('unknown')
  for (const code of ssoLinkErrorCodes) expect(linkNotice(code)).not.toBe(generic)
  for (const text of unknown) expect(linkNotice(text)).toBe(generic)
})
