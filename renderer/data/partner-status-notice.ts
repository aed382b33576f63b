export interface PartnerStatusNotice {
  /** Status of the partner, such as `suspended`; null if the refusal does not say. */
  status: string | null
  /** Text and link that the platform's operator wrote for the users of the partner. */
  message: string | null
  action: { url: string; label: string } | null
}

/** Text and link come from other people, so nothing is trusted: only http and https links are kept. */
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
