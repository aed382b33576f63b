import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** The token of a link in a mail. It leaves the address bar at once: addresses end up in histories and screenshots. */
export function useLinkToken(from: '/reset-password' | '/auth/verify-email' | '/accept-invite'): string | undefined {
  const { token } = useSearch({ from })
  const navigate = useNavigate()
  const [taken] = useState(token)
  useEffect(() => {
    if (token) void navigate({ to: from, search: {}, replace: true })
  }, [token, from, navigate])
  return taken
}
