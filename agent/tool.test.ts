import { expect, test } from 'vitest'
import { toolPath } from './tool.ts'

test("Windows' own tools are run from where Windows keeps them, whatever lies in the working directory", () => {
  const environment = { SystemRoot: 'D:\\Windows' }
  expect(toolPath('icacls.exe', environment, 'win32')).toBe('D:\\Windows\\System32\\icacls.exe')
  expect(toolPath('powershell.exe', environment, 'win32')).toBe(
    'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
  )
})

test('other tools go by their name', () => {
  expect(toolPath('dpkg-query', {}, 'linux')).toBe('dpkg-query')
  expect(toolPath('pwsh', {}, 'win32')).toBe('pwsh')
})
