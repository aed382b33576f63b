import { expect, test } from 'vitest'
import { toolPath } from './tool.ts'

test('the tools of Windows are run from the folder of Windows, whatever lies in the working directory', () => {
  const environment = { SystemRoot: 'D:\\Windows' }
  expect(toolPath('icacls.exe', environment, 'win32')).toBe('D:\\Windows\\System32\\icacls.exe')
  expect(toolPath('powershell.exe', environment, 'win32')).toBe(
    'D:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
  )
})

test('other tools are run by their name', () => {
  expect(toolPath('dpkg-query', {}, 'linux')).toBe('dpkg-query')
  expect(toolPath('pwsh', {}, 'win32')).toBe('pwsh')
})
