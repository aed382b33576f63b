import { useParams } from '@tanstack/react-router'
import type { SsoOwner } from '../../data/sso-providers.ts'

/** As the URL of the page says it. */
export function useSsoOwner(): SsoOwner {
  const { orgId, partnerId } = useParams({ strict: false })
  return orgId ? { orgId } : { partnerId }
}

export const providersPage = ({ orgId, partnerId }: SsoOwner, scope: 'system' | 'partner' | 'organization') =>
  scope === 'organization'
    ? ({ to: '/settings/single-sign-on' } as const)
    : orgId
      ? ({ to: '/organizations/$orgId', params: { orgId }, search: { tab: 'sign-on' } } as const)
      : partnerId
        ? ({ to: '/companies/$partnerId', params: { partnerId } } as const)
        : ({ to: '/settings/sign-in', search: { tab: 'sign-on' } } as const)

export const providerPage = ({ orgId, partnerId }: SsoOwner, providerId: string) =>
  orgId
    ? ({ to: '/organizations/$orgId/identity-providers/$providerId', params: { orgId, providerId } } as const)
    : partnerId
      ? ({ to: '/companies/$partnerId/identity-providers/$providerId', params: { partnerId, providerId } } as const)
      : ({ to: '/settings/sign-in/identity-providers/$providerId', params: { providerId } } as const)

export const newProviderPage = ({ orgId }: SsoOwner) =>
  orgId
    ? ({ to: '/organizations/$orgId/identity-providers/new', params: { orgId } } as const)
    : ({ to: '/settings/sign-in/identity-providers/new' } as const)
