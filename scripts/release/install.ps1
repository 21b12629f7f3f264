# Installs mlcli on Windows (x86-64):
#
#   irm @RELEASES@/latest/download/install.ps1 | iex
#
# MLCLI_VERSION   a version such as 0.1.0; default: the latest
# MLCLI_INSTALL   the directory for the program; default: %LOCALAPPDATA%\Programs\mlcli
# MLCLI_RELEASES  address of the releases, for a mirror
#
# Nothing is installed unless its checksum is the one that the release names, and nothing is
# downloaded but over https.

$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest

# The address of the releases: what the user names, or what scripts/release/stamp.ts wrote here when
# the release was made; a copy without it has no address.
function Get-MlcliReleases {
  $releases = if ($env:MLCLI_RELEASES) { $env:MLCLI_RELEASES } else { '@RELEASES@' }
  if ($releases.StartsWith('@')) {
    throw 'This copy of install.ps1 is not from a release, so it has no address to download from. Use install.ps1 of a release, set MLCLI_RELEASES, or run mlcli from source (README.md).'
  }
  $releases.TrimEnd('/')
}

# Follows redirects by itself: Windows PowerShell 5.1 would follow them from https to http.
function Save-MlcliFile([string]$Address, [string]$File) {
  $uri = [Uri]$Address
  foreach ($step in 1..6) {
    if ($uri.Scheme -ne 'https') { throw "Not downloaded, because the address is not https: $uri" }
    $request = [Net.WebRequest]::CreateHttp($uri)
    $request.AllowAutoRedirect = $false
    $request.UserAgent = 'mlcli-install'
    $response = $request.GetResponse()
    try {
      $status = [int]$response.StatusCode
      $location = $response.Headers['Location']
      if ($status -ge 300 -and $status -lt 400 -and $location) {
        $uri = New-Object Uri($uri, $location)
        continue
      }
      if ($status -ne 200) { throw "Cannot download ${uri}: HTTP $status" }
      $output = [IO.File]::Create($File)
      try { $response.GetResponseStream().CopyTo($output) } finally { $output.Dispose() }
      return
    }
    finally {
      $response.Dispose()
    }
  }
  throw "Too many redirects from $Address"
}

function Install-Mlcli {
  $releases = Get-MlcliReleases
  $base = if ($env:MLCLI_VERSION) { "$releases/download/v$($env:MLCLI_VERSION.TrimStart('v'))" } else { "$releases/latest/download" }
  $directory = if ($env:MLCLI_INSTALL) { $env:MLCLI_INSTALL } else { Join-Path $env:LOCALAPPDATA 'Programs\mlcli' }
  # .NET has a current directory of its own.
  $directory = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($directory)
  $file = 'mlcli-x86_64-pc-windows-msvc.exe'

  $work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
  New-Item -ItemType Directory -Path $work | Out-Null
  try {
    Save-MlcliFile "$base/SHA256SUMS" "$work\SHA256SUMS"
    $line = @(Get-Content "$work\SHA256SUMS" | Where-Object { $_ -match "^[0-9a-f]{64}  $([regex]::Escape($file))$" })
    if ($line.Count -ne 1) { throw "$base/SHA256SUMS does not contain $file" }
    $expected = $line[0].Substring(0, 64)
    Save-MlcliFile "$base/$file" "$work\mlcli.exe"
    $actual = (Get-FileHash -Algorithm SHA256 "$work\mlcli.exe").Hash.ToLowerInvariant()
    if ($actual -ne $expected) { throw "The checksum of $file is wrong: $actual, not $expected. Nothing was installed." }

    # Tried before it takes the place of one that works.
    $installed = & "$work\mlcli.exe" --version
    if ($LASTEXITCODE -ne 0) { throw "$file does not run on this machine. Nothing was installed." }
    New-Item -ItemType Directory -Force -Path $directory | Out-Null
    $program = Join-Path $directory 'mlcli.exe'
    $there = Get-Item -Force -LiteralPath $program -ErrorAction SilentlyContinue
    # A link is replaced, and nothing is written to where it leads.
    if ($there -and ($there.Attributes -band [IO.FileAttributes]::ReparsePoint)) { $there.Delete() }
    elseif ($there -and $there.PSIsContainer) { throw "$program is a directory. Nothing was installed." }
    Move-Item -Force -LiteralPath "$work\mlcli.exe" -Destination $program
  }
  finally {
    Remove-Item -Recurse -Force $work
  }

  Write-Output "Installed $(@($installed)[0]) in $directory"
  $path = [Environment]::GetEnvironmentVariable('Path', 'User')
  if (($path -split ';') -notcontains $directory) {
    [Environment]::SetEnvironmentVariable('Path', (@($path, $directory) -ne '' -join ';'), 'User')
    Write-Output 'Added it to your PATH. Open a new terminal to use it.'
  }
}

# Older systems do not offer TLS 1.2 by themselves, and some offer what is older still.
$protocols = [Net.ServicePointManager]::SecurityProtocol
[Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12
try { Install-Mlcli } finally { [Net.ServicePointManager]::SecurityProtocol = $protocols }
