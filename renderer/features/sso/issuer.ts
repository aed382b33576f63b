/** Splits an issuer template with a variable part, such as `https://{domain}.okta.com`. */
function read(template: string) {
  const [, before = '', key, after = ''] = /^([^{]*)(?:\{([^}]+)\})?(.*)$/.exec(template) ?? []
  return { before, key: key ?? null, after }
}

/** Name of the variable part; null if the issuer is the same for everybody. */
export const customPartOf = (template: string): string | null => read(template).key

export const issuerFromParts = (template: string, part: string): string => {
  const { before, after } = read(template)
  return before + part.trim() + after
}

/** The issuer, also if the URL of its discovery document was pasted. */
export const findIssuer = (copied: string): string =>
  copied.trim().replace(/\/\.well-known\/openid-configuration\/?$/, '')

const withoutEnds = (address: string) => findIssuer(address).replace(/^https?:\/\/|\/+$/gi, '')

/** The variable part of an address that matches the template, with or without https://; null if it does not match. */
export function findCustomPart(template: string, address: string): string | null {
  const { before, key, after } = read(template)
  const [text, start, end] = [address, before, after].map(withoutEnds) as [string, string, string]
  if (!text.startsWith(start) || !text.endsWith(end)) return null
  const part = text.slice(start.length, text.length - end.length).replace(/^\/|\/$/g, '')
  return /^[^/\s]*$/.test(part) && (part === '') === (key === null) ? part : null
}
