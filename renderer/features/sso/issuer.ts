/** The address of an identity provider may have one part that is one's own, as in `https://{domain}.okta.com`. */
function read(template: string) {
  const [, before = '', key, after = ''] = /^([^{]*)(?:\{([^}]+)\})?(.*)$/.exec(template) ?? []
  return { before, key: key ?? null, after }
}

/** What the own part is called; null where the address is the same for everybody. */
export const customPartOf = (template: string): string | null => read(template).key

export const issuerFromParts = (template: string, part: string): string => {
  const { before, after } = read(template)
  return before + part.trim() + after
}

/** Of what many copy, the address of its description, the issuer. */
export const findIssuer = (copied: string): string =>
  copied.trim().replace(/\/\.well-known\/openid-configuration\/?$/, '')

const withoutEnds = (address: string) => findIssuer(address).replace(/^https?:\/\/|\/+$/gi, '')

/** The own part of an address of this kind, with or without its https://; null when it is of another kind. */
export function findCustomPart(template: string, address: string): string | null {
  const { before, key, after } = read(template)
  const [text, start, end] = [address, before, after].map(withoutEnds) as [string, string, string]
  if (!text.startsWith(start) || !text.endsWith(end)) return null
  const part = text.slice(start.length, text.length - end.length).replace(/^\/|\/$/g, '')
  return /^[^/\s]*$/.test(part) && (part === '') === (key === null) ? part : null
}
