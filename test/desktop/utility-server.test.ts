import { afterEach, expect, test } from 'vitest'
import { utilityServer } from '../../main/utility-server.ts'
import { forkUtility, servers } from './fake-electron.ts'
import type { Manner } from './fork-server.ts'

afterEach(() => {
  for (const { child } of servers.splice(0)) child.kill('SIGKILL')
})

async function start(manner: Manner) {
  const messages: unknown[] = []
  const logged: string[] = []
  const env = async () => ({ ...process.env, HOMEPORT_HOST: '127.0.0.1' })
  const log = (text: string) => void logged.push(text)
  const server = await utilityServer({ fork: forkUtility(manner), entry: '/server.js', env, log })((message) =>
    messages.push(message),
  )
  return { server, messages, logged }
}

test('the server gets its environment, reports ready and stops on request', async () => {
  const { server, messages } = await start('well')
  expect(servers[0]).toMatchObject({ entry: '/server.js', env: { HOMEPORT_HOST: '127.0.0.1' } })
  await expect.poll(() => messages).toEqual([expect.objectContaining({ type: 'ready' })])
  server.send({ type: 'stop' })
  expect(await server.exited).toBe('The server ended with code 0.')
})

test('a crash is reported with the last line of its output, which also reaches the log', async () => {
  const { server, logged } = await start('crashes')
  expect(await server.exited).toBe('The server ended with code 3: Error: the disk is full')
  expect(logged.join('')).toBe('Error: the disk is full\n')
})

test('a server that does not react is killed, and killing it again is harmless', async () => {
  const { server, messages } = await start('deaf')
  await expect.poll(() => messages).toHaveLength(1)
  server.kill()
  expect(await server.exited).toBe('The server was killed.')
  server.kill()
})

test('an environment that cannot be read, such as with a locked keychain, is a failed start', async () => {
  const locked = utilityServer({
    fork: forkUtility('well'),
    entry: '/server.js',
    env: () => Promise.reject(new Error('Unlock it')),
    log: () => {},
  })
  await expect(locked(() => {})).rejects.toThrow('Unlock it')
  expect(servers).toEqual([])
})
