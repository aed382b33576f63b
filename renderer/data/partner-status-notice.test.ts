import { expect, test } from 'vitest'
import { partnerStatusNotice } from './partner-status-notice.ts'

test('the message and the link of the operator are taken as they are', () => {
  expect(partnerStatusNotice('suspended', ' Please pay. ', 'https://pay.test/42?x=1', 'Pay now')).toEqual({
    status: 'suspended',
    message: 'Please pay.',
    action: { url: 'https://pay.test/42?x=1', label: 'Pay now' },
  })
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '/relative', 'nonsense', '', null, 7])(
  'a link to %s is not shown',
  (url) => {
    expect(partnerStatusNotice('pending', null, url, 'Click').action).toBeNull()
  },
)

test('a link without a label is labelled with its host', () => {
  expect(partnerStatusNotice('pending', undefined, 'http://help.test:81/a', '').action?.label).toBe('help.test:81')
})
