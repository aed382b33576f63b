export interface PartnerStatusNotice {
  /** Of the company, such as `suspended`; null where the refusal does not tell. */
  status: string | null
  /** What the company's operator wants to say, and where they want to send people. */
  message: string | null
  action: { url: string; label: string } | null
}

/** Trusts none of it: the words and the address were written by somebody else. */
export function partnerStatusNotice(
  status: unknown,
  message: unknown,
  actionUrl: unknown,
  actionLabel: unknown,
): PartnerStatusNotice {
  const url = typeof actionUrl === 'string' ? URL.parse(actionUrl) : null
  const isWeb = url !== null && /^https?:$/.test(url.protocol)
  return {
    status: text(status),
    message: text(message),
    action: isWeb ? { url: url.href, label: text(actionLabel) ?? url.host } : null,
  }
}

const text = (value: unknown): string | null => (typeof value === 'string' && value.trim() ? value.trim() : null)
