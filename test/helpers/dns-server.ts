import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type TxtData } from 'dns-packet'

/** A real DNS server on loopback that answers TXT look-ups; a name it does not know does not exist. */
export async function dnsServer() {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const records = new Map<string, TxtData[]>()
  const state = {
    /** Names that were asked for. */
    asked: [] as string[],
    /** Says nothing at all. */
    isSilent: false,
    /** Done before the next answers. */
    first: async (): Promise<unknown> => undefined,
  }
  socket.on('message', async (message, { port, address }) => {
    const { id, questions } = decode(message)
    const name = questions?.[0]?.name ?? ''
    state.asked.push(name)
    if (state.isSilent) return
    await state.first()
    const found = records.get(name.toLowerCase())
    const flags = found ? 0 : 3
    const answers = (found ?? []).map((data) => ({ type: 'TXT' as const, name, ttl: 1, data }))
    socket.send(encode({ type: 'response', id, flags, questions: questions ?? [], answers }), port, address)
  })
  const address = `127.0.0.1:${socket.address().port}`
  return Object.assign(state, {
    address,
    /** The environment of an appliance that asks this server. */
    env: { SSO_DNS_RESOLVERS: address },
    /** Each record in one piece, or in the chunks it is sent in; none removes the name. */
    set(name: string, ...texts: TxtData[]) {
      if (texts.length > 0) records.set(name, texts)
      else records.delete(name)
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  })
}
