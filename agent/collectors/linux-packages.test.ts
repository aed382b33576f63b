import { expect, test } from 'vitest'
import { parseApk, parseDpkg, parsePacman, parseRpm } from './linux-packages.ts'

const brief = (rows: { name: string; version: string | null; vendor: string | null }[]) =>
  rows.map(({ name, version, vendor }) => [name, version, vendor])

test('dpkg-query: what is installed, without the maintainer’s address', () => {
  const output =
    'installed\tadduser\t3.134\tDebian Adduser Developers <adduser@packages.debian.org>\n' +
    'config-files\tnginx\t1.22.1-9\tDebian Nginx Maintainers <nginx@lists.debian.org>\n' +
    'installed\tlibc6\t2.36-9+deb12u10\tGNU Libc Maintainers <debian-glibc@lists.debian.org>\n'
  expect(brief(parseDpkg(output))).toEqual([
    ['adduser', '3.134', 'Debian Adduser Developers'],
    ['libc6', '2.36-9+deb12u10', 'GNU Libc Maintainers'],
  ])
  expect(parseDpkg('')).toEqual([])
})

test('rpm: vendor, day of installation, no signing keys', () => {
  const output =
    'bash\t5.1.8-9.el9\tRed Hat, Inc.\t1709294400\n' +
    'gpg-pubkey\tfd431d51-4ae0493b\t(none)\t1709294401\n' +
    'local-tool\t1.0-1\t(none)\t1709380800\n'
  expect(parseRpm(output)).toMatchObject([
    { name: 'bash', version: '5.1.8-9.el9', vendor: 'Red Hat, Inc.', installDate: '2024-03-01' },
    { name: 'local-tool', version: '1.0-1', vendor: null, installDate: '2024-03-02' },
  ])
})

test('apk: names keep their hyphens and digits', () => {
  const output =
    'musl-1.2.5-r0\nca-certificates-bundle-20240226-r0\nlibcrypto3-3.3.2-r1\npython3-pyc-3.12.8-r1\nWARNING: something\n'
  expect(brief(parseApk(output))).toEqual([
    ['musl', '1.2.5-r0', null],
    ['ca-certificates-bundle', '20240226-r0', null],
    ['libcrypto3', '3.3.2-r1', null],
    ['python3-pyc', '3.12.8-r1', null],
  ])
})

test('pacman: name and version', () => {
  expect(brief(parsePacman('bash 5.2.037-1\nglibc 2.40+r16+gaa533d58ff-2\n'))).toEqual([
    ['bash', '5.2.037-1', null],
    ['glibc', '2.40+r16+gaa533d58ff-2', null],
  ])
})
