# Not tried: nobody here has Homebrew. Made with the release; belongs into a tap as Formula/mlcli.rb.
class Mlcli < Formula
  desc "@summary@"
  homepage "@homepage@"
  version "@version@"
  license "MIT"

  on_macos do
    on_arm do
      url "@homepage@/releases/download/v@version@/mlcli-aarch64-apple-darwin"
      sha256 "@mlcli-aarch64-apple-darwin@"
    end
    on_intel do
      url "@homepage@/releases/download/v@version@/mlcli-x86_64-apple-darwin"
      sha256 "@mlcli-x86_64-apple-darwin@"
    end
  end
  on_linux do
    on_arm do
      url "@homepage@/releases/download/v@version@/mlcli-aarch64-unknown-linux-gnu"
      sha256 "@mlcli-aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "@homepage@/releases/download/v@version@/mlcli-x86_64-unknown-linux-gnu"
      sha256 "@mlcli-x86_64-unknown-linux-gnu@"
    end
  end

  def install
    program = Dir["mlcli-*"].first
    chmod 0755, program
    bin.install program => "mlcli"
    generate_completions_from_executable(bin/"mlcli", "completions", shells: [:bash, :zsh, :fish])
  end
end
