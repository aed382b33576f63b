import { expect, test } from 'vitest'
import { ssoLoginUrl } from './sso-login-url.ts'

const partnerLoginUrl = '/api/v1/sso/login/partner/0199a0de-0000-7000-8000-000000000001'

test('the sign-in address carries the next page, the e-mail address and whether to ask again', () => {
  expect(ssoLoginUrl(partnerLoginUrl, {})).toBe(partnerLoginUrl)
  expect(ssoLoginUrl(partnerLoginUrl, { next: '/devices?org=1', email: 'a+b@corp.test', forcesSignIn: true })).toBe(
    `${partnerLoginUrl}?redirect=%2Fdevices%3Forg%3D1&login_hint=a%2Bb%40corp.test&prompt=login`,
  )
})

test.each(['//evil.test/x', '/.//evil.test', '/login?next=/x', 'https://evil.test'])(
  'the sign-in address does not lead on to %s',
  (next) => expect(ssoLoginUrl(partnerLoginUrl, { next })).toBe(partnerLoginUrl),
)

test.each([
  'https://evil.test/api/v1/sso/login/1',
  '//evil.test/api/v1/sso/login/1',
  '/api/v1/sso/login//evil.test',
  '/api/v1/sso/login/../logout',
  '/api/v1/sso/login/1?redirect=/x',
  '/api/v1/sso/login/',
  'javascript:alert(1)',
])('%s is refused as a sign-in address', (loginUrl) => expect(ssoLoginUrl(loginUrl, {})).toBeNull())
