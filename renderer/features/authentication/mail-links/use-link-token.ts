import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

type LinkPage = '/reset-password' | '/unlock-account' | '/auth/verify-email' | '/accept-invite'

/** Token of a mailed link. Removed from the address bar at once, because URLs end up in histories and screenshots. */
export function useLinkToken(from: LinkPage): string | undefined {
  const { token } = useSearch({ from })
  const navigate = useNavigate()
  const [taken] = useState(token)
  useEffect(() => {
    if (token) void navigate({ to: from, search: {}, replace: true })
  }, [token, from, navigate])
  return taken
}
