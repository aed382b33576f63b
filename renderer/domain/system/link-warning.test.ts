import { expect, test } from 'vitest'
import { linkWarning } from './link-warning.ts'

test('a link that only the appliance can open, and one by a name that only some networks know, are warned about', () => {
  expect(linkWarning('https://localhost:8443/x', 'localhost')).toMatch(/only on the appliance/)
  expect(linkWarning('http://127.0.0.1:8443', '10.0.0.5')).toMatch(/only on the appliance/)
  expect(linkWarning('https://box:8443', '10.0.0.5')).toBe('Other devices may not know the name “box”.')
  expect(linkWarning('https://box:8443', 'box')).toBeNull()
  for (const link of ['https://box.local:8443', 'https://homeport.example.com', 'https://10.0.0.5:8443'])
    expect(linkWarning(link, '10.0.0.9')).toBeNull()
})
