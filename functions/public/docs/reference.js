// Shows the OpenAPI documents of this service with Scalar, which asks no other host.
Scalar.createApiReference('#main', {
  sources: [
    { title: 'API', slug: 'api', url: '/api/v1/openapi.json', default: true },
    { title: 'Management', slug: 'management', url: '/manage/v1/openapi.json' },
  ],
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
})

// Scalar's buttons that copy a name have none of their own.
const nameButtons = () => {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy')
}
new MutationObserver(nameButtons).observe(document.body, { childList: true, subtree: true })
