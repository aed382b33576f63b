import { expect, test } from 'vitest'
import { describeUserAgent } from './user-agent.ts'

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
])('%s is shown as "%s"', (userAgent, words) => {
  expect(describeUserAgent(userAgent)).toBe(words)
})

test.each(['', 'homeport-script/1.0 (by hand)'])('"%s" is no known browser', (userAgent) => {
  expect(describeUserAgent(userAgent) ?? '').not.toMatch(/ on /)
})
