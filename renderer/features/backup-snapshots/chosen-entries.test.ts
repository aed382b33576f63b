import { expect, test } from 'vitest'
import {
  chosenWords,
  folderChosenAbove,
  isChosen,
  nothingChosen,
  pathsToRestore,
  whyNotDownloadable,
  withChosen,
  withoutChosen,
} from './chosen-entries.ts'

const file = (path: string) => ({ path, type: 'file' as const })
const folder = (path: string) => ({ path, type: 'folder' as const })

test('files and folders of several folders are chosen together', () => {
  const chosen = withChosen(withChosen(nothingChosen, [file('/home/a.txt'), folder('/home/docs')]), [
    file('/etc/fstab'),
  ])
  expect(pathsToRestore(chosen)).toEqual(['/home/a.txt', '/home/docs', '/etc/fstab'])
  expect(chosenWords(chosen)).toBe('2 files and 1 folder')
  expect(pathsToRestore(withoutChosen(chosen, ['/home/docs', '/nowhere']))).toEqual(['/home/a.txt', '/etc/fstab'])
})

test('a chosen folder stands for what is in it, and not for its namesakes', () => {
  const chosen = withChosen(nothingChosen, [file('/home/docs/a.txt'), file('/home/docs 2/b.txt'), folder('/home/docs')])
  expect([...chosen.keys()]).toEqual(['/home/docs 2/b.txt', '/home/docs'])
  expect(folderChosenAbove(chosen, '/home/docs/deep/er/c.txt')).toBe('/home/docs')
  expect(isChosen(chosen, '/home/docs')).toBe(true)
  expect(isChosen(chosen, '/home/docs 2')).toBe(false)
  expect(isChosen(chosen, '/home')).toBe(false)
  // Something in a chosen folder adds nothing.
  expect(withChosen(chosen, [file('/home/docs/new.txt')])).toEqual(chosen)
})

test('a drive of Windows is a folder like others', () => {
  const chosen = withChosen(nothingChosen, [folder('C:/')])
  expect(isChosen(chosen, 'C:/Users/Ada/a.txt')).toBe(true)
  expect(isChosen(chosen, 'D:/')).toBe(false)
  expect(isChosen(withChosen(nothingChosen, [file('C:/Users/a.txt')]), 'C:/Users/b.txt')).toBe(false)
})

test('the top folder is everything, which a restore names no path for', () => {
  const chosen = withChosen(nothingChosen, [file('/home/a.txt'), folder('/'), folder('C:/')])
  expect([...chosen.keys()]).toEqual(['/'])
  expect(chosenWords(chosen)).toBe('Everything')
  expect(pathsToRestore(chosen)).toEqual([])
  expect(isChosen(chosen, 'C:/Users')).toBe(true)
})

test('what can be downloaded together', () => {
  const files = Array.from({ length: 101 }, (_, at) => file(`/home/${at}`))
  expect(whyNotDownloadable(withChosen(nothingChosen, files.slice(1)))).toBe(null)
  expect(whyNotDownloadable(withChosen(nothingChosen, files))).toContain('Up to 100')
  const link = { path: '/home/link', type: 'symlink' as const }
  expect(whyNotDownloadable(withChosen(nothingChosen, [file('/a'), folder('/b')]))).toBe(null)
  expect(whyNotDownloadable(withChosen(nothingChosen, [file('/a'), link]))).toContain('Links')
})
