import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../test/helpers/fake-clock.ts'
import { type Answers, answerTo } from '../../../test/helpers/outbound-kit.ts'
import { privateHost } from '../../../test/helpers/private-host.ts'
import { AddressList } from '../../lib/address-list.ts'
import { Destinations, type Settle, Unreachable } from './destinations.ts'
import { Names } from './names.ts'

/** With a fake resolver; `allowed` is what the environment permits. */
function destinationsWith(answers: Answers = {}, allowed: string[] = [], settle: Settle = async () => {}) {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return answerTo(answers, host)
  }
  const destinations = new Destinations(new Names(resolve, new FakeClock()), new AddressList(allowed), settle)
  onTestFinished(() => destinations.close())
  return { destinations, asked }
}

/** A server that says hello on every connection. */
async function greeter() {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    // A client that begins with TLS hangs up.
    socket.on('error', () => {})
    socket.end('hello')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const said = 'The server cannot be reached. Check its address, its port and its certificate.'
async function refusalOf(attempt: Promise<unknown>): Promise<string | null> {
  try {
    await attempt
    return null
  } catch (error) {
    expect(error).toBeInstanceOf(Unreachable)
    return (error as Error).message
  }
}

type Bytes = [number, number, number, number]
const byte = fc.nat(255)
const barred: fc.Arbitrary<Bytes> = fc.oneof(
  fc.tuple(fc.constantFrom(127, 0), byte, byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
  fc.constant<Bytes>([168, 63, 129, 16]),
)
const numberOf = ([a, b, c, d]: Bytes) => a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d
const groupsOf = ([a, b, c, d]: Bytes) => `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
const spellings: ((address: Bytes) => string)[] = [
  (address) => address.join('.'),
  (address) => `${address.join('.')}.`,
  (address) => String(numberOf(address)),
  (address) => `0x${numberOf(address).toString(16)}`,
  (address) => address.map((part) => `0${part.toString(8)}`).join('.'),
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  (address) => `::ffff:${address.join('.')}`,
  (address) => `::ffff:${groupsOf(address)}`,
  (address) => `::${groupsOf(address)}`,
  (address) => `64:ff9b::${groupsOf(address)}`,
  (address) => `2002:${groupsOf(address)}::1`,
]

test('loopback, link-local and metadata addresses are refused in every spelling, without a DNS query', async () => {
  const { destinations, asked } = destinationsWith()
  await fc.assert(
    fc.asyncProperty(barred, fc.constantFrom(...spellings), async (address, spell) => {
      const host = spell(address)
      expect(destinations.isBarred(host), host).toBe(true)
      expect(await refusalOf(destinations.connect(host, 25)), host).toBe(said)
      const inUrl = host.includes(':') ? `[${host}]` : host
      expect(await refusalOf(destinations.fetch(`https://${inUrl}/`, {})), host).toBe(said)
    }),
    { numRuns: 200 },
  )
  expect(asked).toEqual([])
})

const notServers = [
  '::1',
  '::',
  'fe80::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '100.100.100.200',
  'ff02::1',
]

test.each([...notServers, 'localhost', 'LOCALHOST.', 'mail.localhost'])('%s is refused without DNS', async (host) => {
  const { destinations, asked } = destinationsWith({ localhost: [['10.0.0.1']], 'mail.localhost': [['10.0.0.1']] })
  expect(destinations.isBarred(host)).toBe(true)
  expect(await refusalOf(destinations.connect(host, 25))).toBe(said)
  expect(asked).toEqual([])
})

test.each([
  ...notServers,
  '127.0.0.1',
  '0.0.0.0',
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fe80::1%eth0',
  'no address',
])('a name that resolves to %s is refused, also when another of its addresses is allowed', async (address) => {
  for (const addresses of [[address], [address, '10.0.0.1'], ['1.1.1.1', address]]) {
    const { destinations } = destinationsWith({ 'desk.example': [addresses] })
    expect(destinations.isBarred('desk.example'), 'its spelling says nothing').toBe(false)
    expect(await refusalOf(destinations.connect('desk.example', 25))).toBe(said)
    expect(await refusalOf(destinations.fetch('https://desk.example/', {}))).toBe(said)
  }
})

test.each(['10.1.2.3', '172.31.0.1', '192.168.0.10', '100.64.0.1', 'fd12:3456::1', '1.1.1.1', '2606:4700::1111'])(
  'a server at %s is allowed',
  (address) => {
    expect(destinationsWith().destinations.isBarred(address)).toBe(false)
  },
)

test('a connection goes to the address that was checked, whatever the name resolves to next', async () => {
  const { port, connections } = await greeter()
  const answers = { 'desk.example': [['127.0.0.1'], ['169.254.169.254']] }
  const { destinations, asked } = destinationsWith(answers, ['127.0.0.1'])
  const socket = await destinations.connect('desk.example', port)
  const [greeting] = await once(socket, 'data')
  socket.destroy()
  expect([String(greeting), asked.length]).toEqual(['hello', 1])
  expect(await refusalOf(destinations.connect('desk.example', port))).toBe(said)
  expect(connections()).toBe(1)
})

test('a request goes to the address that was checked, whatever the name resolves to next', async () => {
  const host = await privateHost(['desk.example'], (_request, response) => response.end())
  onTestFinished(() => host[Symbol.asyncDispose]())
  const answers = { 'desk.example': [['127.0.0.1'], ['169.254.169.254']] }
  const { destinations, asked } = destinationsWith(answers, ['127.0.0.1'])
  // Its certificate comes from an unknown authority: the server is reached and then refused.
  expect(await refusalOf(destinations.fetch(`https://desk.example:${host.port}/`, {}))).toBe(said)
  expect([host.connections, asked.length]).toEqual([1, 1])
  expect(await refusalOf(destinations.fetch(`https://desk.example:${host.port}/`, {}))).toBe(said)
  expect([host.connections, asked.length]).toEqual([1, 2])
})

test('addresses that the environment permits are not barred, and neighboring ones are', () => {
  const { destinations } = destinationsWith({}, ['127.0.0.1', '169.254.7.0/24'])
  const isBarred = (host: string) => destinations.isBarred(host)
  expect(['127.0.0.1', '::ffff:127.0.0.1', '2130706433', 'localhost', '169.254.7.9'].filter(isBarred)).toEqual([])
  const others = ['127.0.0.2', '::1', '169.254.169.254', '0.0.0.0']
  expect(others.filter(isBarred)).toEqual(others)
})

test('an unreachable server gets the same refusal as a barred one', async () => {
  const { port } = await greeter()
  const { destinations } = destinationsWith({ 'desk.example': [['127.0.0.1']] }, ['127.0.0.1'])
  for (const attempt of [
    () => destinations.fetch(`https://desk.example:${port}/`, {}),
    () => destinations.fetch('https://nowhere.example/', {}),
    () => destinations.fetch('https://desk.example:1/', {}),
    () => destinations.connect('nowhere.example', 25),
    () => destinations.connect('desk.example', 1),
  ])
    expect(await refusalOf(attempt())).toBe(said)
})

test('a refusal is reported after the settling delay, whatever its cause, and not when it is found', async () => {
  const { port } = await greeter()
  const waiting: (() => void)[] = []
  const settle = () => new Promise<void>((resolve) => void waiting.push(resolve))
  const { destinations } = destinationsWith({ 'desk.example': [['127.0.0.1']] }, ['127.0.0.1'], settle)
  const told: string[] = []
  const attempts = {
    closed: destinations.fetch('https://desk.example:1/', {}),
    otherProtocol: destinations.fetch(`https://desk.example:${port}/`, {}),
    noName: destinations.fetch('https://nowhere.example/', {}),
    barred: destinations.fetch('https://169.254.169.254/', {}),
    closedToo: destinations.connect('desk.example', 1),
    noNameEither: destinations.connect('nowhere.example', 25),
  }
  const all = Object.entries(attempts).map(([name, attempt]) => refusalOf(attempt).then(() => void told.push(name)))
  const socket = await destinations.connect('desk.example', port)
  socket.destroy()
  expect(told).toEqual([])
  for (const release of waiting) release()
  await Promise.all(all)
  expect(told.toSorted()).toEqual(Object.keys(attempts).toSorted())
})
