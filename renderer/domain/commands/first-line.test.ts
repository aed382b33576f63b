import { expect, test } from 'vitest'
import { firstLineOf } from './first-line.ts'

test('the first line of a script is the first that is neither blank nor a comment', () => {
  expect(firstLineOf('#!/bin/bash\n\n# Frees space.\n\tapt-get clean # all\ndf -h\n')).toBe('apt-get clean # all')
  expect(firstLineOf('\r\n<#\n.SYNOPSIS\n  Stops it\n#>\r\n# now\r\nStop-Service Spooler\r\n')).toBe(
    'Stop-Service Spooler',
  )
  expect(firstLineOf('cat <<#end\nx\n#end')).toBe('cat <<#end')
})

test('a script of comments only is named by its first line, and an empty one by nothing', () => {
  expect(firstLineOf('\n# To do\n')).toBe('# To do')
  expect(firstLineOf(' \n')).toBe('')
})

test('a line without end is cut', () => {
  expect(firstLineOf('x'.repeat(256_000))).toHaveLength(300)
})
